/**
 * OpenCode sessions as `opencode export` writes them: one document, `{ info, messages: [{ info, parts }] }`.
 *
 * One OpenCode message may hold several model responses; `step-start` parts divide them, and each becomes an assistant
 * message and, where it called tools, a `tool` message with the results of that step.
 *
 * OpenCode forgets in two ways, and keeps what it forgot. Pruning marks results: the model is sent a placeholder.
 * Compaction adds an exchange, a question and its summary: the model is sent the exchange, then the tail the question
 * names, then what came later. `whole` has neither. OpenCode's own storage, a file or a row per part, is not read.
 */
import { defined, type JsonObject, list, number, object, string } from "../transcript/json.ts";
import type { Message, Transcript } from "../transcript/message.ts";
import { type Entry, OPENCODE, readEntries } from "./opencode-entries.ts";
import { blankTokens, editExport, rewriteExport, spell } from "./opencode-rewrite.ts";
import { isRestructured } from "./rewrite.ts";
import { changesTo, documentOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type {
  About,
  Aside,
  Confidence,
  NativeCompaction,
  Sample,
  Session,
  SessionWire,
  Skipped,
} from "./wire.ts";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const document = object(documentOf(source, skipped));
  const { live, undone } = readEntries(document);
  const exchanges = exchangesOf(live);
  const added = new Set(exchanges.flatMap(({ question, summary }) => [question, summary]));
  const said = live.filter((entry) => !added.has(entry));
  const whole = transcriptOf(said.flatMap(({ messages }) => messages.map((message) => message.whole)));
  const compactions = [...summariesOf(live, exchanges, said), ...pruningsOf(said)];
  return {
    wire: OPENCODE,
    whole,
    seen: { ...whole, messages: seenMessages(live, exchanges.at(-1)) },
    compactions: compactions.sort((a, b) => a.at - b.at),
    asides: undoneAside(undone),
    skipped,
    about: aboutOf(object(document["info"])),
  };
}

/** A compaction that was finished: the question, where there is one, the summary, and the entries that stay behind it. */
interface Exchange {
  readonly question: Entry | undefined;
  readonly summary: Entry;
  /** Where it begins and ends among the entries, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly kept: readonly Entry[];
}

/** Early versions wrote the summary without a question, and kept no tail. */
function exchangesOf(entries: readonly Entry[]): readonly Exchange[] {
  const places = new Map(entries.map((entry, index) => [entry.id, index]));
  return entries.flatMap((summary, index) => {
    if (!summary.isSummary) return [];
    const asked = places.get(summary.parent ?? "");
    const question =
      asked !== undefined && asked < index && entries[asked]?.question ? entries[asked] : undefined;
    const start = question && asked !== undefined ? asked : index;
    const tail = places.get(question?.question?.tailStart ?? "") ?? start;
    return [{ question, summary, start, end: index + 1, kept: entries.slice(Math.min(tail, start), start) }];
  });
}

function seenMessages(entries: readonly Entry[], last: Exchange | undefined): readonly Message[] {
  const inContext = last
    ? [...entries.slice(last.start, last.end), ...last.kept, ...entries.slice(last.end)]
    : entries;
  return inContext
    .filter((entry) => entry.isSent)
    .flatMap(({ messages }) => messages.map((message) => message.seen));
}

function summariesOf(
  entries: readonly Entry[],
  exchanges: readonly Exchange[],
  said: readonly Entry[],
): readonly NativeCompaction[] {
  const indices = indicesOf(said);
  let context: readonly Entry[] = [];
  let from = 0;
  let count = 0;
  const countOf = (some: readonly Entry[]) => some.flatMap((entry) => indices.get(entry) ?? []).length;
  return exchanges.map(({ question, summary, start, end, kept }) => {
    context = [...context, ...entries.slice(from, start)];
    const staying = new Set(kept);
    const removed = context
      .filter((entry) => !staying.has(entry))
      .flatMap((entry) => indices.get(entry) ?? []);
    const at = count + countOf(entries.slice(from, start));
    count = at + countOf(entries.slice(start, end));
    context = [...entries.slice(start, end), ...kept];
    from = end;
    return {
      kind: "summary",
      at,
      removed,
      ...defined({ trigger: question?.question?.trigger, summary: summary.messages[0]?.whole }),
    };
  });
}

/**
 * Results are marked one by one, each with the millisecond it was done in, so a run of pruning has many timestamps.
 * Those between which nothing was said are one.
 */
function pruningsOf(said: readonly Entry[]): readonly NativeCompaction[] {
  const indices = indicesOf(said);
  const marks = said
    .flatMap((entry) =>
      entry.messages.flatMap(({ prunedAt }, offset) =>
        prunedAt.map((time) => ({ time, index: indices.get(entry)?.[offset] ?? 0 })),
      ),
    )
    .sort((a, b) => a.time - b.time);
  const groups = new Map<number, Set<number>>();
  let next = 0;
  let at = 0;
  for (const { time, index } of marks) {
    for (; next < said.length && (said[next]?.at ?? 0) <= time; next += 1)
      at += said[next]?.messages.length ?? 0;
    groups.set(at, (groups.get(at) ?? new Set()).add(index));
  }
  return [...groups].map(([place, removed]) => ({
    kind: "clear",
    at: place,
    trigger: "auto",
    removed: [...removed].sort((a, b) => a - b),
  }));
}

/** Where the messages of each entry stand in `whole`. */
function indicesOf(said: readonly Entry[]): ReadonlyMap<Entry, readonly number[]> {
  let count = 0;
  return new Map(said.map((entry) => [entry, entry.messages.map(() => count++)]));
}

function undoneAside(undone: readonly Entry[]): readonly Aside[] {
  const messages = undone.flatMap((entry) => entry.messages.map((message) => message.whole));
  if (messages.length === 0) return [];
  return [{ kind: "rewound", name: undone[0]?.id ?? "", transcript: transcriptOf(messages) }];
}

function transcriptOf(messages: readonly Message[]): Transcript {
  return {
    messages,
    ...defined({ model: messages.findLast((message) => message.model !== undefined)?.model }),
  };
}

function aboutOf(info: JsonObject): About {
  return defined({
    id: string(info["id"]),
    cwd: string(info["directory"]),
    title: string(info["title"]),
    startedAt: number(object(info["time"])["created"]),
  });
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  if (isRestructured(session, next)) return rewriteExport(session, source, next);
  const changes = changesTo(session, next, spell, blankTokens);
  return changes.length === 0 ? source.chunks() : editExport(source, changes);
}

function detect(sample: Sample): Confidence {
  if (sample.records.length !== 1) return 0;
  const { info, messages } = object(sample.records[0]);
  const first = object(list(messages)[0]);
  if ("sessionID" in object(first["info"]) && "parts" in first) return 2;
  // The information about a session may be longer than the sample: it holds the diff of an undo.
  return ["projectID", "slug", "directory"].filter((key) => key in object(info)).length >= 2 ? 2 : 0;
}

export const opencode: SessionWire = {
  kind: "session",
  name: OPENCODE,
  title: "OpenCode export",
  read,
  write,
  detect,
};
