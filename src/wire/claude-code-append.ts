/**
 * How a compaction of ours goes into a Claude Code file: appended, as Claude Code's own do, with every line above left
 * as it is. A boundary without a parent, and below it, in one chain, all that is still sent, in its order: copies of
 * the records that stay, and the page as the summary (`isCompactSummary`).
 *
 * What resuming asks for (seen in Claude Code 2.1): the leaf with the latest time is the conversation, and of two with
 * the same time the first, so our times are later by milliseconds; records that share a `message.id` are drawn into
 * the chain wherever they stand, so copies have ids of their own; usage is taken for the size of the context, so theirs
 * is zero; and of large files only lines that begin with `parentUuid` are looked at.
 */
import { isList, type Json, type JsonObject, list, object, string } from "../transcript/json.ts";
import { type Part, promptTokens, type Transcript } from "../transcript/message.ts";
import { writeBlock } from "./anthropic-blocks.ts";
import { livePath, readGraph } from "./claude-code-graph.ts";
import { type Aligned, align, changesInCopy, dropAt, hashOf, seedOf, uuidOf, wordsOf } from "./rewrite.ts";
import { appendRecords, applyChanges, type Change, recordsAt, spotOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Session } from "./wire.ts";

const NAME = "claude-code";
/** What every record of a session says of it. */
const COMMON = ["isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug"];
/** Of all dates there are: behind a record that claims it, none can be later. */
const LAST_TIME = 8.64e15;
export const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

export function spell(part: Part): readonly Change[] {
  const to = (old: Json | undefined) =>
    typeof old === "string" && part.type === "text" ? part.text : writeBlock(part, old);
  return [{ ...spotOf(part, NAME), to }];
}

export function appendCompaction(session: Session, source: Source, next: Transcript): Iterable<Uint8Array> {
  const aligned = align(session, next);
  const graph = readGraph(source, []);
  const leaf = livePath(graph).at(-1);
  const latest = graph.nodes.reduce((time, node) => Math.max(time, node.at ?? 0), 0);
  const lines = new Set([leaf?.line ?? 0, ...aligned.flatMap(linesOf)]);
  const records = recordsAt(source, lines);
  const common = records.get(leaf?.line ?? 0) ?? {};
  const chain = new Chain({ records, common, seed: seedOf(session, aligned), latest });
  chain.begin(leaf?.uuid ?? null, tokensOf(session));
  for (const one of aligned) {
    if (one.said) chain.copy(one);
    else chain.insert(one);
  }
  return appendRecords(source, chain.records);
}

function linesOf({ message, said }: Aligned): readonly number[] {
  return said ? list(message.native?.value).flatMap((line) => (typeof line === "number" ? [line] : [])) : [];
}

function tokensOf({ whole }: Session): number {
  const usage = whole.messages.findLast((message) => message.usage)?.usage;
  return usage ? promptTokens(usage) + usage.outputTokens : 0;
}

interface Material {
  readonly records: ReadonlyMap<number, JsonObject>;
  readonly common: JsonObject;
  readonly seed: string;
  readonly latest: number;
}

/** Records one below the other, with new ids and times, and a note of what each is a copy of; "" for a page. */
class Chain {
  readonly records: JsonObject[] = [];
  readonly #written: Record<string, string> = {};
  readonly #renamed = new Map<string, string>();
  readonly #from: Material;
  #parent: string | null = null;

  constructor(from: Material) {
    this.#from = from;
  }

  begin(logicalParentUuid: string | null, preTokens: number): void {
    const compactMetadata = { trigger: "manual", preTokens, palimpsest: this.#written };
    const facts = { subtype: "compact_boundary", content: "Conversation compacted", isMeta: false };
    const common = pick(this.#from.common);
    this.#place({ logicalParentUuid, ...common, type: "system", ...facts, level: "info", compactMetadata });
  }

  copy(one: Aligned): void {
    const { records, seed } = this.#from;
    const changes = changesInCopy(one, { spell, drop: dropAt(NAME) });
    for (const line of linesOf(one)) {
      const own = changes.filter((change) => change.line === line);
      const record = object(applyChanges(records.get(line) ?? {}, own));
      const content = object(record["message"])["content"];
      if (isList(content) && content.length === 0) continue;
      const uuid = this.#place(withNewIds(record, { seed, renamed: this.#renamed }));
      this.#written[uuid] = string(record["uuid"]) ?? "";
      this.#renamed.set(this.#written[uuid], uuid);
    }
  }

  insert(one: Aligned): void {
    const uuid = this.#place({ ...pick(this.#from.common), ...said(one, this.#from.seed) });
    this.#written[uuid] = "";
  }

  #place(record: JsonObject): string {
    const { seed, latest } = this.#from;
    const uuid = uuidOf(seed, this.records.length);
    const { parentUuid: _, toolUseResult: __, ...rest } = record;
    const time = Math.min(latest + 1 + this.records.length, LAST_TIME);
    const timestamp = new Date(time).toISOString();
    this.records.push({ parentUuid: this.#parent, ...rest, uuid, timestamp });
    this.#parent = uuid;
    return uuid;
  }
}

function pick(record: JsonObject): JsonObject {
  return Object.fromEntries(COMMON.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]])));
}

function withNewIds(
  record: JsonObject,
  { seed, renamed }: { readonly seed: string; readonly renamed: ReadonlyMap<string, string> },
): JsonObject {
  const { message, sourceToolAssistantUUID: answered } = record;
  const fields = object(message);
  const asked = renamed.get(string(answered) ?? "");
  return {
    ...record,
    ...(asked === undefined ? {} : { sourceToolAssistantUUID: asked }),
    ...(record["type"] === "assistant"
      ? { message: { ...fields, id: messageId(seed, string(fields["id"]) ?? ""), usage: NO_USAGE } }
      : {}),
  };
}

function messageId(...of: readonly string[]): string {
  return `msg_${hashOf(...of).slice(0, 24)}`;
}

/** The page, or the answer to it. A model by this name is Claude Code's own way to say that none was asked. */
function said(one: Aligned, seed: string): JsonObject {
  const text = wordsOf(one, NAME);
  if (one.message.role !== "assistant") {
    const message = { role: "user", content: text };
    return { type: "user", message, isVisibleInTranscriptOnly: true, isCompactSummary: true };
  }
  const message = {
    id: messageId(seed, text),
    type: "message",
    role: "assistant",
    model: "<synthetic>",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: NO_USAGE,
  };
  return { type: "assistant", message };
}
