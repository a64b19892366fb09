/**
 * Secrets out, before anything is written. `redacting(store, redact)` is a store in front of a store: what it hands on
 * has every string of every original, ledger entry, session fact and source file gone through `redact`.
 *
 * This is the one thing that is not lossless, on purpose: the redacted original is what is kept, under the ref of what
 * it was, and a restored session file is the redacted one, with the redacted one's hash. Images, seals and encrypted
 * thinking are left as they are: they would break, and a secret is not legible in them.
 */
import { isUtf8 } from "node:buffer";
import type { Json } from "../transcript/json.ts";
import type { Store } from "./store.ts";

export type Redact = (text: string) => string;

/** Kind, and what it looks like. Prefixes the issuers chose so that they can be found; the generic one comes last. */
const SECRETS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "private-key",
    /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ],
  ["aws-key", /\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b/g],
  ["github-token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g],
  ["gitlab-token", /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ["slack-token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}/g],
  ["slack-webhook", /https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g],
  ["google-key", /\bAIza[A-Za-z0-9_-]{35}/g],
  ["stripe-key", /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}/g],
  ["anthropic-key", /\bsk-ant-[A-Za-z0-9_-]{20,}/g],
  ["openai-key", /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}/g],
  ["npm-token", /\bnpm_[A-Za-z0-9]{36}\b/g],
  ["jwt", /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g],
  ["bearer", /(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{20,}=*/g],
  ["password", /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'\\]{1,64}:)[^\s:@/"'\\]{3,128}(?=@)/g],
  [
    "secret",
    /(?<=(?:api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token|secret|passw(?:or)?d)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[A-Za-z0-9_+/.~-]{12,}=*/gi,
  ],
];

/** The secrets that are common enough to have a shape. What has none (a password in prose) is not found. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((left, [kind, pattern]) => left.replace(pattern, `[redacted:${kind}]`), text);
}

export function redacting(store: Store, redact: Redact): Store {
  const clean = <T>(value: T): T => redactStrings(value as Json, redact) as T;
  return {
    name: store.name,
    openSession: (session) => store.openSession({ ...clean({ ...session, id: "" }), id: session.id }),
    session: (id) => store.session(id),
    sessions: () => store.sessions(),
    endSession: (id, at) => store.endSession(id, at),
    keep: (id, originals) => store.keep(id, originals.map(clean)),
    recall: (id, ref) => store.recall(id, ref),
    list: (id, query) => store.list(id, query),
    append: (id, entries) => store.append(id, entries.map(clean)),
    ledger: (id) => store.ledger(id),
    keepSource: (id, wire, chunks) => store.keepSource(id, wire, redactedLines(chunks, redact)),
    source: (id) => store.source(id),
    exportSession: (id) => store.exportSession(id),
    collect: (options) => store.collect(options),
    close: () => store.close(),
  };
}

/** Names and addresses, which must stay what they are, and bytes that only look like text. */
const LEFT_ALONE = new Set(
  "type kind role id callId ref of after parent native base64 mediaType signature encrypted".split(" "),
);

function redactStrings(value: Json | undefined, redact: Redact): Json | undefined {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactStrings(item, redact) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      LEFT_ALONE.has(key) && typeof item === "string" ? item : redactStrings(item, redact),
    ]),
  );
}

/** By whole lines, so that no secret is cut in two by a chunk; session files hold no secret across lines. */
function* redactedLines(chunks: Iterable<Uint8Array>, redact: Redact): Iterable<Uint8Array> {
  let waiting: Uint8Array[] = [];
  for (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      yield redactedBytes(Buffer.concat([...waiting, chunk.subarray(0, end)]), redact);
      waiting = [];
    }
    if (end < chunk.length) waiting.push(Buffer.from(chunk.subarray(end)));
  }
  if (waiting.length > 0) yield redactedBytes(Buffer.concat(waiting), redact);
}

const NEWLINE = 10;

/** Bytes that are not UTF-8 are read as Latin-1: every byte comes back, and secrets are ASCII. */
function redactedBytes(bytes: Buffer, redact: Redact): Uint8Array {
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  return Buffer.from(redact(bytes.toString(encoding)), encoding);
}
