/**
 * Whether a request failed because its prompt did not fit: one question, whoever the provider is. The words are data in
 * `overflow-table.ts`. Compacting is the cure only for this, so what merely sounds like it (throttling, quotas, an
 * answer asked for too long) is ruled out first.
 *
 * An error may be anything a client throws: the AI SDK's and the vendors' classes, with the body as text or as an object,
 * wrapped in causes; a body; a line of text. Only fields that hold the provider's words are looked at, never the request
 * that rides along in them: a conversation about overflows must not look like one.
 */

import { responseOverflow } from "./overflow-response.ts";
import {
  NOT_OVERFLOW,
  NOT_OVERFLOW_STATUS,
  OVERFLOW_NUMBERS,
  OVERFLOWS,
  type OverflowRow,
} from "./overflow-table.ts";
import { isList, type Json, type JsonObject, number, parseJson, string } from "./transcript/json.ts";

export interface Overflow {
  readonly kind: "overflow";
  /** Whose words they are; `any` where several say it so. */
  readonly provider: string;
  /** What the prompt came to, where it is said. */
  readonly tokens?: number;
  readonly limit?: number;
  /** Prompt and answer together were too much: asking for a shorter answer may be enough. */
  readonly outputTokens?: number;
  /** Bytes were counted, not tokens: `tokens` and `limit` are not known. */
  readonly isBytes?: true;
}

export interface OverflowOptions {
  /** The model's window, where it is known for sure: a response that counts more than it overflowed silently. */
  readonly windowTokens?: number;
}

export function isOverflow(thrown: unknown, options: OverflowOptions = {}): Overflow | undefined {
  const said = hear(thrown);
  if (NOT_OVERFLOW_STATUS.some((status) => said.statuses.has(status))) return undefined;
  if (NOT_OVERFLOW.some((pattern) => [...said.texts, ...said.codes].some((text) => pattern.test(text))))
    return undefined;
  const row = OVERFLOWS.find((candidate) => isSaid(candidate, said));
  if (!row) return responseOverflow(thrown, options.windowTokens);
  if (row.isBytes) return { kind: "overflow", provider: row.provider, isBytes: true };
  return { kind: "overflow", provider: row.provider, ...numbersIn(said) };
}

interface Said {
  readonly texts: Set<string>;
  readonly codes: Set<string>;
  readonly statuses: Set<number>;
  readonly numbers: { tokens?: number; limit?: number };
}

function isSaid({ says, code, status }: OverflowRow, { texts, codes, statuses }: Said): boolean {
  if (code !== undefined) return codes.has(code);
  const hasStatus =
    status === undefined ||
    statuses.has(status) ||
    [...texts].some((text) => new RegExp(`^${status}\\b`).test(text));
  if (says === undefined) return hasStatus;
  return hasStatus && [...texts].some((text) => says.test(text));
}

function numbersIn({ texts, numbers }: Said): Pick<Overflow, "tokens" | "limit" | "outputTokens"> {
  const found: Record<string, number> = { ...numbers };
  for (const text of texts)
    for (const pattern of OVERFLOW_NUMBERS)
      for (const [name, digits] of Object.entries(pattern.exec(text)?.groups ?? {}))
        if (digits) found[name] ??= Number(digits.replaceAll(",", ""));
  const { tokens, limit, output } = found;
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(limit === undefined ? {} : { limit }),
    ...(output === undefined ? {} : { outputTokens: output }),
  };
}

/** Where clients put a provider's words. `requestBodyValues`, `config`, `request` and the like are not among them. */
const WORD_FIELDS = ["message", "msg", "detail", "error_message", "raw", "responseBody", "body", "error"];
/** Objects that lead on to them: the body parsed, the response of axios and of `response.failed`, the cause. */
const NEST_FIELDS = [
  "data",
  "details",
  "metadata",
  "response",
  "$metadata",
  "$response",
  "lastError",
  "cause",
];
const CODE_FIELDS = ["code", "type", "name", "status", "__type"];
const STATUS_FIELDS = ["statusCode", "status", "httpStatusCode", "code"];

/** An error body is a few lines; what is longer is a page or a dump, and its beginning tells. */
const TEXT_CHARS = 16_000;
const DEPTH = 8;

function hear(thrown: unknown): Said {
  const said: Said = { texts: new Set(), codes: new Set(), statuses: new Set(), numbers: {} };
  listen(thrown, said, DEPTH);
  return said;
}

function listen(value: unknown, said: Said, depth: number): void {
  if (depth === 0 || value === undefined || value === null) return;
  if (typeof value === "string") {
    listenToText(value, said, depth);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) listen(item, said, depth - 1);
    return;
  }
  // An error is no JSON, but its fields are read as if it were: each is checked before use.
  const fields = value as JsonObject;
  if (typeof value !== "object" || isAnswer(fields)) return;
  readCodes(fields, said);
  for (const field of WORD_FIELDS) listen(fields[field], said, depth - 1);
  for (const field of NEST_FIELDS)
    if (typeof fields[field] === "object") listen(fields[field], said, depth - 1);
  // A retry that failed lists every attempt; only the last says how it ended.
  if (fields["lastError"] === undefined) listen(fields["errors"], said, depth - 1);
}

/** A body that answers holds the model's words, and those may be about anything. */
function isAnswer(fields: JsonObject): boolean {
  return ["choices", "content", "candidates", "output"].some((field) => isList(fields[field]));
}

/** Words, and where they hold a body as JSON (`400 {"type":"error",…}`), what that says. */
function listenToText(text: string, said: Said, depth: number): void {
  const shown = text.slice(0, TEXT_CHARS);
  const open = shown.search(/\{|\[\s*\{/);
  const body = open >= 0 ? parseJson(shown.slice(open)) : undefined;
  if (body === undefined) {
    said.texts.add(shown);
    return;
  }
  const lead = shown.slice(0, open);
  const status = /^\s*(\d{3})\b/.exec(lead);
  if (status) said.statuses.add(Number(status[1]));
  if (lead.trim() !== "") said.texts.add(lead);
  listen(body, said, depth - 1);
}

function readCodes(fields: JsonObject, { codes, statuses, numbers }: Said): void {
  for (const field of CODE_FIELDS) {
    const code: Json | undefined = fields[field];
    if (typeof code === "string" || typeof code === "number") codes.add(String(code));
  }
  for (const field of STATUS_FIELDS) {
    const status = number(fields[field]) ?? Number(string(fields[field]) ?? Number.NaN);
    if (status >= 400 && status < 600) statuses.add(status);
  }
  // llama.cpp gives the numbers as fields.
  numbers.tokens ??= number(fields["n_prompt_tokens"]) as number;
  numbers.limit ??= number(fields["n_ctx"]) as number;
}
