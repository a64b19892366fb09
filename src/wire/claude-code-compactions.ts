/**
 * The compactions of a Claude Code session: its own, which put a summary before what they kept, and those we appended
 * (`claude-code-append.ts`), which repeat below a boundary all that is still sent. What was repeated, or put in place
 * of something, was said only once, so `whole` leaves it out.
 */
import { defined } from "../transcript/json.ts";
import type { Message, Part } from "../transcript/message.ts";
import { answeredCalls, type Graph, type Node } from "./claude-code-graph.ts";
import type { NativeCompaction } from "./wire.ts";

/** What Claude Code sends in place of a cleared result. */
const CLEARED = "[Old tool result content cleared]";

/** A message and the records it was made of. */
export interface Placed {
  readonly message: Message;
  readonly nodes: readonly Node[];
  readonly line: number;
}

export interface PlacedCompaction {
  readonly compaction: NativeCompaction;
  readonly clearedCalls: ReadonlySet<string>;
  /** Messages whose results were emptied: indices into what was placed. */
  readonly cleared: readonly number[];
  /** What to put before the messages that were kept; ours stands among them. */
  readonly opening: Message | undefined;
}

export function isWritten({ nodes }: Placed, graph: Graph): boolean {
  return nodes.some(({ uuid }) => graph.written.has(uuid));
}

interface Reading {
  readonly graph: Graph;
  readonly messageOf: (node: Node) => Message;
}

/** The compactions of the path, and which of the placed messages are still in the context after the last of them. */
export function compactionsOf(
  path: readonly Node[],
  placed: readonly Placed[],
  reading: Reading,
): { readonly compactions: readonly PlacedCompaction[]; readonly kept: readonly number[] } {
  const compactions: PlacedCompaction[] = [];
  const describe = describer(path, placed, reading);
  let kept: number[] = [];
  let from = 0;
  for (const node of path) {
    const { boundary } = node;
    if (!boundary) continue;
    const at = placed.filter(({ line }) => line < node.line).length;
    const context = [...kept, ...range(from, at)];
    const leaving = context.filter((index) => leaves(placed[index], boundary));
    compactions.push(describe(node, boundary, { at, leaving }));
    if (boundary.kind === "clear") continue;
    kept = context.filter((index) => !leaves(placed[index], boundary));
    from = at;
  }
  return { compactions, kept: [...kept, ...range(from, placed.length)] };
}

type Boundary = NonNullable<Node["boundary"]>;

function describer(path: readonly Node[], placed: readonly Placed[], { graph, messageOf }: Reading) {
  const ends = path.filter((node) => node.boundary).map(({ line }) => line);
  const indices = wholeIndices(placed, graph);
  return (
    node: Node,
    boundary: Boundary,
    { at, leaving }: { readonly at: number; readonly leaving: readonly number[] },
  ): PlacedCompaction => {
    const { kind, trigger, tokensBefore, tokensAfter, clearedCalls } = boundary;
    const end = ends.find((line) => line > node.line) ?? Infinity;
    const below = boundary.written ? placed.filter(({ line }) => line > node.line && line < end) : [];
    const written = below.filter((one) => isWritten(one, graph));
    const repeated = new Set(written.map((one) => indices.get(one)));
    const opening = boundary.written ? undefined : summaryBelow(node, graph);
    const page = written.find((one) => !indices.has(one))?.message;
    const summary = opening ? messageOf(opening) : page;
    const gone = leaving.flatMap((index) => wholeIndex(placed[index], indices));
    const compaction: NativeCompaction = {
      kind,
      at: placed.slice(0, at).filter((one) => !isWritten(one, graph)).length,
      removed: [...new Set(gone)].filter((index) => !repeated.has(index)),
      ...defined({ trigger, tokensBefore, tokensAfter, summary }),
    };
    const cleared = kind === "clear" ? leaving : [];
    return { compaction, clearedCalls, cleared, opening: opening && summary };
  };
}

function wholeIndex(
  placed: Placed | undefined,
  indices: ReadonlyMap<Placed, number>,
): number | readonly number[] {
  return (placed && indices.get(placed)) ?? [];
}

function summaryBelow(boundary: Node, graph: Graph): Node | undefined {
  return graph.nodes.find((other) => other.isSummary && other.parent === boundary.uuid);
}

/** Where each message stands in `whole`: a copy where its original does, a page nowhere. */
function wholeIndices(placed: readonly Placed[], graph: Graph): ReadonlyMap<Placed, number> {
  const byUuid = new Map<string, number>();
  const indices = new Map<Placed, number>();
  let count = 0;
  for (const one of placed) {
    if (!isWritten(one, graph)) {
      for (const { uuid } of one.nodes) byUuid.set(uuid, count);
      indices.set(one, count++);
      continue;
    }
    const index = byUuid.get(originOf(one.nodes[0]?.uuid ?? "", graph));
    if (index !== undefined) indices.set(one, index);
  }
  return indices;
}

/** A second compaction copies copies; each points to an earlier record, so this ends. */
function originOf(uuid: string, { written }: Graph): string {
  const seen = new Set<string>();
  let of = uuid;
  for (let next = written.get(of); next && !seen.has(next); next = written.get(of)) {
    seen.add(next);
    of = next;
  }
  return of;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function leaves(placed: Placed | undefined, boundary: Boundary): boolean {
  if (!placed) return false;
  if (boundary.kind === "clear")
    return placed.nodes.flatMap(answeredCalls).some((id) => boundary.clearedCalls.has(id));
  return !placed.nodes.some((node) => boundary.preserved.has(node.uuid));
}

export function seenMessages(
  compactions: readonly PlacedCompaction[],
  kept: readonly number[],
  placed: readonly Placed[],
): readonly Message[] {
  const summary = compactions.findLast(({ compaction }) => compaction.kind === "summary")?.opening;
  const cleared = new Map<number, ReadonlySet<string>>();
  for (const { cleared: emptied, clearedCalls } of compactions)
    for (const index of emptied) cleared.set(index, clearedCalls);
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
