/**
 * What fills the context: the same tokens counted by kind, by tool, by file and by turn, and what of it is there
 * twice or no longer true. Seed 001 asks the question; after one look at this a person knows the answer.
 *
 * Everything here is arithmetic over one list of parts, each with its tokens and the call it belongs to.
 */
import { describeCall, shorten } from "../transcript/describe.ts";
import {
  hasUserWords,
  type Part,
  type ToolCallPart,
  type ToolSchema,
  type Transcript,
} from "../transcript/message.ts";
import { type Pair, type Pairing, pairUp } from "../transcript/pairs.ts";
import { refOf } from "../transcript/ref.ts";
import { supersededReads } from "../transcript/superseded.ts";
import { toolUse } from "../transcript/tool-use.ts";
import { turnsOf } from "../transcript/turns.ts";
import type {
  Contents,
  FileRow,
  Kind,
  KindRow,
  LargeRow,
  RepeatRow,
  SupersededRow,
  ToolRow,
  TurnRow,
} from "./rows.ts";

/** Tokens of one part, however they were come by. */
export type TokensOf = (part: Part) => number;

export interface ContentsOptions {
  readonly tokensOf: TokensOf;
  readonly toolTokens?: (tool: ToolSchema) => number;
  /** Where the harness ran: paths below it are told from there, so that `/w/a.ts` and `a.ts` are one file. */
  readonly cwd?: string | undefined;
}

/** A part with where it stands and what it belongs to. */
interface Item {
  readonly part: Part;
  readonly tokens: number;
  readonly kind: Kind;
  readonly messageIndex: number;
  /** The call itself, or the call this result answers. */
  readonly call: ToolCallPart | undefined;
}

const LARGEST = 10;

export function contentsOf(transcript: Transcript, options: ContentsOptions): Contents {
  const { tokensOf, toolTokens = () => 0 } = options;
  const near = nearTo(options.cwd);
  const pairing = pairUp(transcript);
  const items = itemsOf(transcript, pairing.pairs, tokensOf);
  return {
    byKind: byKind(items, schemasRow(transcript, toolTokens)),
    byTool: byTool(items, pairing.pairs),
    byFile: byFile(items, near),
    byTurn: byTurn(transcript, items),
    repeats: repeatsIn(items).map((row) => ({ ...row, what: near(row.what) })),
    superseded: supersededIn(pairing, tokensOf).map((row) => ({ ...row, path: near(row.path) })),
    largest: items
      .toSorted(byTokens)
      .slice(0, LARGEST)
      .map(largeRow)
      .map((row) => ({ ...row, what: near(row.what) })),
  };
}

type Near = (text: string) => string;

function nearTo(cwd: string | undefined): Near {
  if (cwd === undefined || cwd === "/" || cwd === "") return (text) => text;
  const folder = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return (text) => text.replaceAll(folder, "");
}

function itemsOf(transcript: Transcript, pairs: readonly Pair[], tokensOf: TokensOf): readonly Item[] {
  const calls = new Map<Part, ToolCallPart>();
  for (const { call, result } of pairs) {
    calls.set(call.part, call.part);
    if (result) calls.set(result.part, call.part);
  }
  const system = (transcript.system ?? []).map(
    (part): Item => ({
      part,
      tokens: tokensOf(part),
      kind: "system prompt",
      messageIndex: -1,
      call: undefined,
    }),
  );
  const said = transcript.messages.flatMap((message, messageIndex) =>
    message.parts.map(
      (part): Item => ({
        part,
        tokens: tokensOf(part),
        kind: kindOf(part, message.role),
        messageIndex,
        call: calls.get(part),
      }),
    ),
  );
  return [...system, ...said];
}

function kindOf(part: Part, role: string): Kind {
  switch (part.type) {
    case "text":
      if (role === "system") return "system prompt";
      if (role === "assistant") return "assistant text";
      return part.synthetic ? "harness text" : "user words";
    case "thinking":
      return "thinking";
    case "tool-call":
      return "tool calls";
    case "tool-result":
      return "tool results";
    case "image":
    case "document":
      return "images and documents";
    case "opaque":
      return "opaque";
  }
}

function schemasRow(
  { tools = [] }: Transcript,
  toolTokens: (tool: ToolSchema) => number,
): readonly KindRow[] {
  const tokens = tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
  return tools.length === 0 ? [] : [{ kind: "tool schemas", count: tools.length, tokens }];
}

function byKind(items: readonly Item[], schemas: readonly KindRow[]): readonly KindRow[] {
  const said = gather(items, ({ kind }) => [kind]).map(([kind, group]) => ({
    kind,
    count: group.length,
    tokens: sum(group),
  }));
  return [...said, ...schemas].toSorted(byTokens);
}

function byTool(items: readonly Item[], pairs: readonly Pair[]): readonly ToolRow[] {
  const errors = gather(
    pairs.filter(({ result }) => result?.part.isError),
    ({ call }) => [call.part.name],
  );
  const errorsOf = new Map(errors.map(([tool, group]) => [tool, group.length]));
  const used = items.filter(({ call }) => call !== undefined);
  return gather(used, ({ call }) => [call?.name ?? ""])
    .map(([tool, group]) => {
      const calls = group.filter(({ part }) => part.type === "tool-call");
      const [callTokens, tokens] = [sum(calls), sum(group)];
      return {
        tool,
        calls: calls.length,
        errors: errorsOf.get(tool) ?? 0,
        callTokens,
        resultTokens: tokens - callTokens,
        tokens,
      };
    })
    .toSorted(byTokens);
}

/** A call that names two files counts for both: the rows answer "what does this file cost", and may overlap. */
function byFile(items: readonly Item[], near: Near): readonly FileRow[] {
  const filesOf = (call: ToolCallPart) =>
    toolUse(call).files.map((use) => ({ ...use, path: near(use.path) }));
  const used = items.filter(({ call }) => call !== undefined);
  return gather(used, ({ call }) => [...new Set(call ? filesOf(call).map(({ path }) => path) : [])])
    .map(([path, group]) => {
      const calls = group.flatMap(({ part }) => (part.type === "tool-call" ? [part] : []));
      const uses = calls.flatMap((call) => filesOf(call).filter((use) => use.path === path));
      const reads = uses.filter(({ does }) => does === "read").length;
      return { path, reads, edits: uses.length - reads, tokens: sum(group) };
    })
    .toSorted(byTokens);
}

function byTurn(transcript: Transcript, items: readonly Item[]): readonly TurnRow[] {
  const tokens = new Array<number>(transcript.messages.length).fill(0);
  for (const item of items)
    if (item.messageIndex >= 0) tokens[item.messageIndex] = (tokens[item.messageIndex] ?? 0) + item.tokens;
  return turnsOf(transcript).map(({ start, end }, index) => {
    const messages = transcript.messages.slice(start, end);
    const says = messages.find(hasUserWords)?.parts.find((part) => part.type === "text" && !part.synthetic);
    const total = tokens.slice(start, end).reduce((a, b) => a + b, 0);
    return {
      turn: index + 1,
      says: shorten(says?.type === "text" ? says.text : ""),
      messages: messages.length,
      tokens: total,
    };
  });
}

function repeatsIn(items: readonly Item[]): readonly RepeatRow[] {
  const results = items.filter(({ part, tokens }) => part.type === "tool-result" && tokens > 0);
  return gather(results, ({ part }) => [refOf(part)])
    .filter(([, group]) => group.length > 1)
    .map(([ref, group]) => ({
      ref,
      what: whatIs(group[0]),
      times: group.length,
      tokens: sum(group.slice(1)),
    }))
    .toSorted(byTokens);
}

function supersededIn(pairing: Pairing, tokensOf: TokensOf): readonly SupersededRow[] {
  return supersededReads(pairing)
    .map(({ pair, path, by }) => ({
      ref: refOf(pair.result.part),
      path,
      by,
      messageIndex: pair.result.messageIndex,
      tokens: tokensOf(pair.result.part),
    }))
    .toSorted(byTokens);
}

function largeRow(item: Item): LargeRow {
  return {
    ref: refOf(item.part),
    kind: item.kind,
    what: whatIs(item),
    messageIndex: item.messageIndex,
    tokens: item.tokens,
  };
}

function whatIs(item: Item | undefined): string {
  if (!item) return "";
  if (item.call) return describeCall(item.call);
  return item.part.type === "text" ? shorten(item.part.text) : item.kind;
}

function gather<T, K>(
  items: readonly T[],
  keysOf: (item: T) => readonly K[],
): readonly (readonly [K, readonly T[]])[] {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return [...groups];
}

function sum(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((total, row) => total + row.tokens, 0);
}

function byTokens(a: { readonly tokens: number }, b: { readonly tokens: number }): number {
  return b.tokens - a.tokens;
}
