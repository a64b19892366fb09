/**
 * Claude Code session files: `~/.claude/projects/<cwd>/<session>.jsonl`, and the files of its subagents.
 *
 * The file is an append-only graph, not a list. Records point to their parent; rewinds make forks, resumes replay
 * records, and one API response is spread over several records that share `message.id`. What the conversation is
 * follows from walking up from the last leaf. One fork is not a rewind: of parallel calls each has its own record,
 * and each result hangs below its own call, so results are found by id and not by walking.
 *
 * A compaction leaves everything in place and adds a boundary without a parent, whose `logicalParentUuid` says what
 * came before; the walk crosses it for `whole` and stops there for `seen`.
 */
import { defined, type Json, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript, Usage } from "../transcript/message.ts";
import { readBlock, readContent, writeBlock } from "./anthropic-blocks.ts";
import { answeredCalls, type Graph, livePath, type Node, readGraph } from "./claude-code-graph.ts";
import { type Change, changesTo, spotOf, writeRecords } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Aside, Confidence, NativeCompaction, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "claude-code";
/** What Claude Code sends in place of a cleared result. */
const CLEARED = "[Old tool result content cleared]";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const graph = readGraph(source, skipped);
  const path = livePath(graph);
  const placed = placeMessages(path, graph);
  const { compactions, kept } = compactionsOf(path, placed, graph);
  const whole = transcriptOf(placed);
  return {
    wire: NAME,
    whole,
    seen: { ...whole, messages: seenMessages(compactions, kept, placed) },
    compactions: compactions.map(({ compaction }) => compaction),
    asides: asidesOf(graph, path, placed),
    skipped,
    about: graph.about,
  };
}

/** A message and the records it was made of. */
interface Placed {
  readonly message: Message;
  readonly nodes: readonly Node[];
  readonly line: number;
}

/** Records in order → messages in order: responses gathered, results right behind their calls. */
function placeMessages(path: readonly Node[], graph: Graph): readonly Placed[] {
  const onPath = new Set(path);
  const done = new Set<Node>();
  const placed: Placed[] = [];
  const place = (nodes: readonly Node[], make: (nodes: readonly Node[]) => Message) => {
    for (const node of nodes) done.add(node);
    const [first] = nodes;
    if (first) placed.push({ message: make(nodes), nodes, line: first.line });
  };
  for (const node of path) {
    if (done.has(node) || node.isSummary) continue;
    if (node.attachment !== undefined) place([node], attachmentMessage);
    else if (node.type === "user") place([node], userMessage);
    else if (node.message) {
      const response = responseOf(node, graph);
      place(response, assistantMessage);
      for (const result of resultsOf(response, onPath, graph))
        if (!done.has(result)) place([result], userMessage);
    }
  }
  return placed;
}

/** One API response: the records that share its `message.id`. */
function responseOf(node: Node, graph: Graph): readonly Node[] {
  const siblings = graph.byMessageId.get(string(node.message?.["id"]) ?? "") ?? [node];
  return siblings.filter((other) => other.type === "assistant" && other.isSidechain === node.isSidechain);
}

/** The result of each call: the one on the path, or, for parallel calls, the one that hangs beside it. */
function resultsOf(response: readonly Node[], onPath: ReadonlySet<Node>, graph: Graph): readonly Node[] {
  const calls = response
    .flatMap((node) => list(node.message?.["content"]))
    .flatMap((block) => string(object(block)["id"]) ?? []);
  const results = calls.flatMap((id) => {
    const answers = graph.byCallId.get(id) ?? [];
    return answers.find((answer) => onPath.has(answer)) ?? answers[0] ?? [];
  });
  return [...new Set(results)].sort((a, b) => a.line - b.line);
}

function assistantMessage(nodes: readonly Node[]): Message {
  const last = nodes.at(-1);
  const model = string(last?.message?.["model"]);
  return {
    role: "assistant",
    parts: nodes.flatMap(partsOf),
    ...defined({ at: nodes[0]?.at, usage: usageOf(nodes), ...(model?.startsWith("<") ? {} : { model }) }),
    ended: nodes.some((node) => node.isFailure) ? "failed" : "done",
    native: nativeOf(nodes),
  };
}

function userMessage(nodes: readonly Node[]): Message {
  return {
    role: "user",
    parts: nodes.flatMap(partsOf),
    ...defined({ at: nodes[0]?.at }),
    native: nativeOf(nodes),
  };
}

/** Rendered as a reminder when it is sent; how, the file does not say, so it is carried as it stands. */
function attachmentMessage(nodes: readonly Node[]): Message {
  const parts = nodes.map((node): Part => ({ type: "opaque", of: NAME, value: node.attachment ?? null }));
  return { role: "user", parts, ...defined({ at: nodes[0]?.at }), native: nativeOf(nodes) };
}

function partsOf(node: Node): readonly Part[] {
  const content = node.message?.["content"];
  return readContent(content).map((block, index) => {
    const part = readBlock(block);
    const native = {
      line: node.line,
      path: ["message", "content", ...(typeof content === "string" ? [] : [index])],
    };
    const isSynthetic =
      node.type === "user" && part.type === "text" && (node.isSynthetic || isHarnessText(part.text));
    return { ...part, ...(isSynthetic ? { synthetic: true } : {}), native };
  });
}

/** What Claude Code says in the user's name, by the tags it uses. */
function isHarnessText(text: string): boolean {
  return /^\s*(<(system-reminder|local-command-|task-notification|bash-(stdout|stderr)|user-memory-)|\[Request interrupted|Caveat: The messages below)/.test(
    text,
  );
}

function nativeOf(nodes: readonly Node[]): NonNullable<Message["native"]> {
  return { of: NAME, value: nodes.map((node) => node.line) };
}

/** Every record of a response repeats its usage; in early ones the output is a placeholder, so the last counts. */
function usageOf(nodes: readonly Node[]): Usage | undefined {
  const usage = nodes
    .map((node) => object(node.message?.["usage"]))
    .findLast((fields) => number(fields["output_tokens"]) !== undefined);
  if (!usage || nodes.some((node) => node.isFailure)) return undefined;
  const tokens = (key: string) => number(usage[key]) ?? 0;
  const long = number(object(usage["cache_creation"])["ephemeral_1h_input_tokens"]);
  const read: Usage = {
    uncachedTokens: tokens("input_tokens"),
    cacheReadTokens: tokens("cache_read_input_tokens"),
    cacheWriteTokens: tokens("cache_creation_input_tokens"),
    outputTokens: tokens("output_tokens"),
    ...defined({ cacheWrite1hTokens: long }),
  };
  return read.uncachedTokens + read.cacheReadTokens + read.cacheWriteTokens > 0 ? read : undefined;
}

interface PlacedCompaction {
  readonly compaction: NativeCompaction;
  readonly clearedCalls: ReadonlySet<string>;
}

/** The native compactions of the path, and which messages are still in the context after the last of them. */
function compactionsOf(path: readonly Node[], placed: readonly Placed[], graph: Graph) {
  const compactions: PlacedCompaction[] = [];
  let kept: number[] = [];
  let from = 0;
  for (const node of path) {
    const { boundary } = node;
    if (!boundary) continue;
    const at = placed.filter(({ line }) => line < node.line).length;
    const context = [...kept, ...range(from, at)];
    const removed = context.filter((index) => leaves(placed[index], boundary));
    const { kind, trigger, tokensBefore, tokensAfter } = boundary;
    const facts = defined({ trigger, tokensBefore, tokensAfter, summary: summaryBelow(node, graph) });
    compactions.push({ compaction: { kind, at, removed, ...facts }, clearedCalls: boundary.clearedCalls });
    if (kind === "clear") continue;
    kept = context.filter((index) => !leaves(placed[index], boundary));
    from = at;
  }
  return { compactions, kept: [...kept, ...range(from, placed.length)] };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function leaves(placed: Placed | undefined, boundary: NonNullable<Node["boundary"]>): boolean {
  if (!placed) return false;
  if (boundary.kind === "clear")
    return placed.nodes.flatMap(answeredCalls).some((id) => boundary.clearedCalls.has(id));
  return !placed.nodes.some((node) => boundary.preserved.has(node.uuid));
}

function summaryBelow(boundary: Node, graph: Graph): Message | undefined {
  const node = graph.nodes.find((other) => other.isSummary && other.parent === boundary.uuid);
  return node && userMessage([node]);
}

function seenMessages(
  compactions: readonly PlacedCompaction[],
  kept: readonly number[],
  placed: readonly Placed[],
): readonly Message[] {
  const summary = compactions.findLast(({ compaction }) => compaction.kind === "summary")?.compaction.summary;
  const cleared = new Map<number, ReadonlySet<string>>();
  for (const { compaction, clearedCalls } of compactions) {
    if (compaction.kind === "clear") for (const index of compaction.removed) cleared.set(index, clearedCalls);
  }
  const messages = kept.flatMap((index) => {
    const message = placed[index]?.message;
    // A failed request's message is shown to the person, and not sent again.
    return message && message.ended !== "failed" ? [clear(message, cleared.get(index))] : [];
  });
  return summary ? [summary, ...messages] : messages;
}

function clear(message: Message, calls: ReadonlySet<string> | undefined): Message {
  if (!calls) return message;
  const parts = message.parts.map(
    (part): Part =>
      part.type === "tool-result" && calls.has(part.callId)
        ? { ...part, output: [{ type: "text", text: CLEARED }] }
        : part,
  );
  return { ...message, parts };
}

function asidesOf(graph: Graph, path: readonly Node[], placed: readonly Placed[]): readonly Aside[] {
  const used = new Set([...path, ...placed.flatMap(({ nodes }) => nodes)]);
  const groups = new Map<string, Node[]>();
  const group = new Map<Node, string>();
  for (const node of graph.nodes) {
    if (used.has(node) || node.isSummary) continue;
    const parent = graph.byUuid.get(node.parent ?? "");
    const key = (node.isSidechain && node.agentId) || (parent && group.get(parent)) || node.uuid;
    group.set(node, key);
    if (node.message) groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups].map(([name, nodes]) => ({
    kind: nodes[0]?.isSidechain ? "subagent" : "rewound",
    name,
    transcript: transcriptOf(
      placeMessages(nodes, graph).filter((message) => message.nodes.every((node) => !used.has(node))),
    ),
  }));
}

function transcriptOf(placed: readonly Placed[]): Transcript {
  const messages = placed.map(({ message }) => message);
  return {
    messages,
    ...defined({ model: messages.findLast((message) => message.model !== undefined)?.model }),
  };
}

function write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array> {
  return writeRecords(source, changesTo(session, next, spell));
}

function spell(part: Part): readonly Change[] {
  const spot = spotOf(part, NAME);
  const to = (old: Json | undefined) =>
    typeof old === "string" && part.type === "text" ? part.text : writeBlock(part, old);
  return [{ ...spot, to }];
}

function detect(sample: Sample): Confidence {
  const records = sample.records.map(object);
  if (records.some((record) => "parentUuid" in record && "sessionId" in record)) return 2;
  const types = new Set([
    "file-history-snapshot",
    "summary",
    "queue-operation",
    "permission-mode",
    "last-prompt",
  ]);
  return records.some((record) => types.has(string(record["type"]) ?? "") && !("payload" in record)) ? 1 : 0;
}

export const claudeCode: SessionWire = {
  kind: "session",
  name: NAME,
  title: "Claude Code session",
  read,
  write,
  detect,
};
