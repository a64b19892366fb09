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
import { defined, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Transcript, Usage } from "../transcript/message.ts";
import { readBlock, readContent } from "./anthropic-blocks.ts";
import { appendCompaction, NO_USAGE, spell } from "./claude-code-append.ts";
import { compactionsOf, isWritten, type Placed, seenMessages } from "./claude-code-compactions.ts";
import { type Graph, livePath, type Node, readGraph } from "./claude-code-graph.ts";
import { isRestructured } from "./rewrite.ts";
import { blankAt, changesTo, writeRecords } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { Aside, Confidence, Sample, Session, SessionWire, Skipped } from "./wire.ts";

const NAME = "claude-code";

function read(source: Source): Session {
  const skipped: Skipped[] = [];
  const graph = readGraph(source, skipped);
  const path = livePath(graph);
  const placed = placeMessages(path, graph);
  const { compactions, kept } = compactionsOf(path, placed, {
    graph,
    messageOf: (node) => userMessage([node]),
  });
  const whole = transcriptOf(placed.filter((one) => !isWritten(one, graph)));
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
    if (done.has(node) || (node.isSummary && !graph.written.has(node.uuid))) continue;
    if (node.attachment !== undefined) place([node], attachmentMessage);
    else if (node.type === "user") place([node], userMessage);
    else if (node.message) {
      const response = responseOf(node, graph);
      place(response, assistantMessage);
      for (const result of resultsOf(response, { onPath, done, graph })) place([result], userMessage);
    }
  }
  return placed;
}

/** One API response: the records that share its `message.id`. */
function responseOf(node: Node, graph: Graph): readonly Node[] {
  const siblings = graph.byMessageId.get(string(node.message?.["id"]) ?? "") ?? [node];
  return siblings.filter((other) => other.type === "assistant" && other.isSidechain === node.isSidechain);
}

interface Answers {
  readonly onPath: ReadonlySet<Node>;
  readonly done: ReadonlySet<Node>;
  readonly graph: Graph;
}

/**
 * The result of each call: the one on the path, or, for parallel calls, the one that hangs beside it. Where an id was used
 * again, each call takes the next that none has taken.
 */
function resultsOf(response: readonly Node[], { onPath, done, graph }: Answers): readonly Node[] {
  const calls = response
    .flatMap((node) => list(node.message?.["content"]))
    .flatMap((block) => string(object(block)["id"]) ?? []);
  const isCopy = response.some((node) => graph.written.has(node.uuid));
  const results = new Set<Node>();
  for (const id of calls) {
    const answers = (graph.byCallId.get(id) ?? []).filter(
      (node) => graph.written.has(node.uuid) === isCopy && !done.has(node) && !results.has(node),
    );
    const answer = answers.find((node) => onPath.has(node)) ?? answers[0];
    if (answer) results.add(answer);
  }
  return [...results].sort((a, b) => a.line - b.line);
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
export function isHarnessText(text: string): boolean {
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
  if (isRestructured(session, next)) return appendCompaction(session, source, next);
  return writeRecords(source, changesTo(session, next, spell, blankAt(["message", "usage"], NO_USAGE)));
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
