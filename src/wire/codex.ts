/**
 * Codex session files: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
 *
 * A file is a list of records, most of them for the screen; `response_item` is what the model is sent. One response is
 * several items, gathered into one message. A compaction writes down the whole history that replaces what came before
 * (`replacement_history`), so what the model sees stands in that one record and in the items behind it, and an edit of
 * it goes there; what it stands for is still further up. OpenAI's own compaction is sealed: then there is no summary.
 *
 * An edit changes what Codex sends, not the `event_msg` copy that its screen shows. Compressed files (`.jsonl.zst`)
 * are not opened here.
 */
import { defined, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { refOf } from "../transcript/ref.ts";
import { appendCompacted, reportsBehind, spell } from "./codex-append.ts";
import type { Draft } from "./codex-drafts.ts";
import { type Cut, type History, isBareItem, readHistory } from "./codex-history.ts";
import { isRestructured } from "./rewrite.ts";
import { changesTo, writeRecords } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Confidence, NativeCompaction, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "codex";
const RECORD_TYPES = [
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
];

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const history = readHistory(source, skipped);
  const messages = history.drafts.map(messageOf);
  const { compactions, context } = replay(history.cuts, messages);
  return {
    wire: NAME,
    whole: transcriptOf(messages, history),
    seen: transcriptOf(context, history),
    compactions,
    asides: history.rewound.map(({ line, drafts }) => ({
      kind: "rewound",
      name: `taken back at line ${line}`,
      transcript: transcriptOf(drafts.map(messageOf), history),
    })),
    skipped,
    about: history.about,
  };
}

function transcriptOf(messages: readonly Message[], { system, model }: History): Transcript {
  return { ...(system ? { system: [system] } : {}), messages, ...defined({ model }) };
}

function messageOf(draft: Draft): Message {
  const { role, parts, lines, at, model, usage, ended } = draft;
  return {
    role,
    parts,
    ...defined({ at, model, usage }),
    ...(role === "assistant" ? { ended } : {}),
    native: { of: NAME, value: lines },
  };
}

/** The compactions one after the other, and what the model sees after the last. */
function replay(cuts: readonly Cut[], messages: readonly Message[]) {
  const compactions: NativeCompaction[] = [];
  let replaced: Replaced = { kept: [], messages: [] };
  let from = 0;
  for (const cut of cuts) {
    const before = [...replaced.kept, ...indices(from, cut.at)];
    replaced = replacedBy(cut, before, messages);
    const { at, tokensBefore, tokensAfter } = cut;
    const { kept, summary } = replaced;
    const staying = new Set(kept);
    const removed = before.filter((index) => !staying.has(index));
    compactions.push({ kind: "summary", at, removed, ...defined({ summary, tokensBefore, tokensAfter }) });
    from = at;
  }
  return { compactions, context: [...replaced.messages, ...messages.slice(from)] };
}

function indices(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** What stands for all that was before a cut. */
interface Replaced {
  readonly messages: readonly Message[];
  /** The places of those that were there before. */
  readonly kept: readonly number[];
  readonly summary?: Message;
}

/**
 * Messages of the replacement are its own, even where they repeat earlier ones: Codex loads them from its record, so
 * that is where an edit must go.
 */
function replacedBy(cut: Cut, before: readonly number[], messages: readonly Message[]): Replaced {
  if (!cut.replacement) return summedUp(cut, before, messages);
  const replacement = cut.replacement
    .map(messageOf)
    .map((message, place) =>
      cut.pages.has(place) || isSummary(message, cut) ? markSynthetic(message) : message,
    );
  const summary = replacement.find((message) => isSummary(message, cut)) ?? writtenSummary(cut);
  return { messages: replacement, kept: stillThere(before, messages, replacement), ...defined({ summary }) };
}

/**
 * Early versions wrote the summary alone, and put what users had said before it (up to 20,000 tokens of it; we keep all)
 * when they resumed.
 */
function summedUp(cut: Cut, before: readonly number[], messages: readonly Message[]): Replaced {
  const summary = writtenSummary(cut);
  const kept = before.filter(
    (index) => messages[index]?.role === "user" || messages[index]?.role === "system",
  );
  const said = kept.flatMap((index) => messages[index] ?? []);
  return { messages: summary ? [...said, summary] : said, kept, ...defined({ summary }) };
}

function isSummary({ role, parts }: Message, cut: Cut): boolean {
  const [only] = parts;
  if (role !== "user" || parts.length !== 1 || only?.type !== "text") return false;
  return only.text === cut.message || /^\s*Another language model/.test(only.text);
}

function markSynthetic(message: Message): Message {
  const parts = message.parts.map(
    (part): Part => (part.type === "text" ? { ...part, synthetic: true } : part),
  );
  return { ...message, parts };
}

function writtenSummary({ message, line }: Cut): Message | undefined {
  if (message === "") return undefined;
  const native = { line, path: ["payload", "message"] };
  return {
    role: "user",
    parts: [{ type: "text", text: message, synthetic: true, native }],
    native: { of: NAME, value: [line] },
  };
}

/** Which of the messages before say the same as one of the replacement; of equal ones, the latest. */
function stillThere(
  before: readonly number[],
  messages: readonly Message[],
  replacement: readonly Message[],
): readonly number[] {
  // Hashing what is long gone would cost more than reading it: only messages of a size that came back are looked at.
  const sizes = new Set(replacement.map(sizeOf));
  const places = new Map<string, number[]>();
  for (const index of before) {
    const message = messages[index];
    if (!message || !sizes.has(sizeOf(message))) continue;
    const known = places.get(contentOf(message));
    if (known) known.push(index);
    else places.set(contentOf(message), [index]);
  }
  return replacement.flatMap((message) => places.get(contentOf(message))?.pop() ?? []).sort((a, b) => a - b);
}

function sizeOf({ role, parts }: Message): string {
  return `${role} ${parts.map((part) => `${part.type}${part.type === "text" ? part.text.length : ""}`).join(" ")}`;
}

function contentOf({ role, parts }: Message): string {
  return `${role} ${parts.map(refOf).join(" ")}`;
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) return appendCompacted(session, source, next);
  const changes = changesTo(session, next, spell);
  return writeRecords(source, [...changes, ...reportsBehind(changes, source)]);
}

function detect(sample: Sample): Confidence {
  const records = sample.records.map(object);
  const isRecord = records.some(
    (record) => RECORD_TYPES.includes(string(record["type"]) ?? "") && "payload" in record,
  );
  if (isRecord || records.some((record) => record["record_type"] === "state")) return 2;
  return records.length > 1 && records.some(isBareItem) ? 1 : 0;
}

export const codex: SessionWire = {
  kind: "session",
  name: NAME,
  title: "Codex session",
  read,
  write,
  detect,
};
