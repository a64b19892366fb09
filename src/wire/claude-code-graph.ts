/**
 * The graph of records in a Claude Code file, and the walk through it. See `claude-code.ts` for what it means.
 */
import {
  defined,
  isObject,
  type Json,
  type JsonObject,
  list,
  number,
  object,
  string,
} from "../transcript/json.ts";
import { recordsOf } from "./session-file.ts";
import type { Source } from "./source.ts";
import type { About, NativeCompaction, Skipped } from "./wire.ts";

/** What is kept of a record. `toolUseResult`, snapshots and progress payloads are most of a file, and no model sees them. */
export interface Node {
  readonly line: number;
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly type: string;
  readonly isSidechain: boolean;
  readonly agentId: string | undefined;
  readonly at: number | undefined;
  /** Written by Claude Code in the user's name. */
  readonly isSynthetic: boolean;
  readonly isSummary: boolean;
  readonly isFailure: boolean;
  readonly message: JsonObject | undefined;
  readonly attachment: Json | undefined;
  readonly boundary: Boundary | undefined;
}

export interface Boundary {
  readonly kind: NativeCompaction["kind"];
  readonly logicalParent: string | undefined;
  readonly trigger: "auto" | "manual" | undefined;
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
  /** Messages that stayed verbatim behind the summary. */
  readonly preserved: ReadonlySet<string>;
  readonly clearedCalls: ReadonlySet<string>;
  /** What `claude-code-append.ts` noted of the records it wrote below: of which each is a copy; "" for a page. */
  readonly written: ReadonlyMap<string, string> | undefined;
}

export interface Graph {
  /** In the order of the file, each uuid once: a resume may replay records, and the first stands. */
  readonly nodes: readonly Node[];
  readonly byUuid: ReadonlyMap<string, Node>;
  readonly byMessageId: ReadonlyMap<string, readonly Node[]>;
  /** User records by the call they answer. */
  readonly byCallId: ReadonlyMap<string, readonly Node[]>;
  /** Records we wrote ourselves: which record each is a copy of, "" for a page. */
  readonly written: ReadonlyMap<string, string>;
  readonly about: About;
}

export function readGraph(source: Source, skipped: Skipped[]): Graph {
  const byUuid = new Map<string, Node>();
  const byMessageId = new Map<string, Node[]>();
  const byCallId = new Map<string, Node[]>();
  let about: About = {};
  for (const { line, value } of recordsOf(source, skipped)) {
    about = readAbout(value, about);
    const node = readNode(line, value);
    if (!node || byUuid.has(node.uuid)) continue;
    byUuid.set(node.uuid, node);
    const messageId = string(node.message?.["id"]);
    if (messageId !== undefined) push(byMessageId, messageId, node);
    for (const callId of answeredCalls(node)) push(byCallId, callId, node);
  }
  const nodes = [...byUuid.values()];
  const written = new Map(nodes.flatMap((node) => [...(node.boundary?.written ?? [])]));
  return { nodes, byUuid, byMessageId, byCallId, written, about };
}

function readNode(line: number, record: JsonObject): Node | undefined {
  const uuid = string(record["uuid"]);
  const type = string(record["type"]);
  if (uuid === undefined || type === undefined) return undefined;
  const isMessage = type === "user" || type === "assistant";
  return {
    line,
    uuid,
    type,
    parent: string(record["parentUuid"]),
    isSidechain: record["isSidechain"] === true,
    agentId: string(record["agentId"]),
    at: timeOf(record),
    isSynthetic: record["isMeta"] === true || record["isCompactSummary"] === true,
    isSummary: record["isCompactSummary"] === true,
    isFailure: record["isApiErrorMessage"] === true,
    message: isMessage && isObject(record["message"]) ? record["message"] : undefined,
    attachment: type === "attachment" ? record["attachment"] : undefined,
    boundary: type === "system" ? readBoundary(record) : undefined,
  };
}

function readBoundary(record: JsonObject): Boundary | undefined {
  const isFull = record["subtype"] === "compact_boundary";
  if (!isFull && record["subtype"] !== "microcompact_boundary") return undefined;
  const facts = object(record[isFull ? "compactMetadata" : "microcompactMetadata"]);
  const tokensBefore = number(facts["preTokens"]);
  const saved = number(facts["tokensSaved"]);
  return {
    kind: isFull ? "summary" : "clear",
    logicalParent: string(record["logicalParentUuid"]),
    trigger: facts["trigger"] === "auto" || facts["trigger"] === "manual" ? facts["trigger"] : undefined,
    tokensBefore,
    tokensAfter:
      number(facts["postTokens"]) ??
      (tokensBefore !== undefined && saved !== undefined ? tokensBefore - saved : undefined),
    preserved: new Set(
      list(object(facts["preservedMessages"])["uuids"]).flatMap((uuid) => string(uuid) ?? []),
    ),
    clearedCalls: new Set(list(facts["compactedToolIds"]).flatMap((id) => string(id) ?? [])),
    written: isObject(facts["palimpsest"])
      ? new Map(Object.entries(facts["palimpsest"]).map(([uuid, of]) => [uuid, string(of) ?? ""]))
      : undefined,
  };
}

function readAbout(record: JsonObject, about: About): About {
  const title = string(record["summary"]) ?? string(record["customTitle"]) ?? string(record["aiTitle"]);
  return {
    ...about,
    ...defined({
      id: about.id ?? string(record["sessionId"]),
      cwd: about.cwd ?? string(record["cwd"]),
      title,
    }),
    ...defined({ startedAt: about.startedAt ?? timeOf(record) }),
  };
}

/** From the root to the last leaf, compaction boundaries crossed. */
export function livePath(graph: Graph): readonly Node[] {
  const isMain = graph.nodes.some((node) => node.message && !node.isSidechain);
  const leaf = graph.nodes.findLast((node) => isOnThread(node) && (!isMain || !node.isSidechain));
  return walkUp(leaf, graph);
}

/** Progress records are links in the chain but never the end of a conversation: hooks go on after the last word. */
function isOnThread(node: Node): boolean {
  return node.message !== undefined || node.attachment !== undefined || node.boundary !== undefined;
}

function walkUp(leaf: Node | undefined, graph: Graph): readonly Node[] {
  const passedBy = preservingBoundaries(graph);
  const before = standInFinder(graph);
  const path = new Set<Node>();
  for (let node = leaf; node && !path.has(node); node = parentOf(node, graph, before)) {
    const boundary = passedBy.get(node.uuid);
    if (boundary && boundary.line < (leaf?.line ?? 0)) path.add(boundary);
    path.add(node);
  }
  return [...path].reverse();
}

/** A compaction that kept messages verbatim is passed by, not walked through: they still hang below the old ones. */
function preservingBoundaries(graph: Graph): ReadonlyMap<string, Node> {
  const boundaries = new Map<string, Node>();
  for (const node of graph.nodes)
    for (const uuid of node.boundary?.preserved ?? []) boundaries.set(uuid, node);
  return boundaries;
}

function parentOf(node: Node, graph: Graph, before: (node: Node) => Node | undefined): Node | undefined {
  const uuid = node.parent ?? node.boundary?.logicalParent;
  return uuid === undefined ? undefined : (graph.byUuid.get(uuid) ?? before(node));
}

/**
 * Where the record that is pointed to was never written, what stands before in the file is the best we know. Worked out for all
 * at once, when the first is missing: in a file of another's uuids all are.
 */
function standInFinder({ nodes }: Graph): (node: Node) => Node | undefined {
  let known: Map<Node, Node | undefined> | undefined;
  return (node) => {
    known ??= standIns(nodes);
    return known.get(node);
  };
}

function standIns(nodes: readonly Node[]): Map<Node, Node | undefined> {
  const before = new Map<Node, Node | undefined>();
  const last = new Map<boolean, Node>();
  for (const node of nodes) {
    before.set(node, last.get(node.isSidechain));
    if (isOnThread(node)) last.set(node.isSidechain, node);
  }
  return before;
}

/** The calls a user record answers. */
export function answeredCalls(node: Node): readonly string[] {
  if (node.type !== "user") return [];
  return list(node.message?.["content"]).flatMap((block) => string(object(block)["tool_use_id"]) ?? []);
}

function timeOf(record: JsonObject): number | undefined {
  const at = Date.parse(string(record["timestamp"]) ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
