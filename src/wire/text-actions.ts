/**
 * Actions in the text: harnesses that call no tools on the API, but ask the model for one command in a fenced block
 * and send back what it printed (SWE-agent, mini-swe-agent). For compaction such a step is a call and its result like
 * any other: they live and die together, and outputs are what fills the context. So a response reads as the text
 * around the block and a call with the command in it, and the message that follows is the result.
 *
 * Text and command are one string in the file. Each part therefore remembers which segment of it it is, and is
 * written back into that segment alone; nothing is said twice, so nothing is counted twice.
 */
import { PalimpsestError } from "../errors.ts";
import { type Json, object, string } from "../transcript/json.ts";
import type { Message, Part, ToolCallPart } from "../transcript/message.ts";
import type { Change, Spot } from "./session-file.ts";

/** Where a response holds its command: `before`, fence, `command`, fence, `after`; the rest is white space. */
interface Split {
  readonly before: Range;
  readonly command: Range;
  readonly after: Range;
}
type Segment = keyof Split;
type Range = readonly [start: number, end: number];

export interface TextAction {
  /** The content and where it stands. */
  readonly content: string;
  readonly spot: Spot;
  /** Finds the fenced block that is the action; its body without the last line end. */
  readonly fence: Fence;
}

/** All blocks that could be the action; a response is well-formed if there is exactly one. */
export type Fence = (content: string) => readonly Block[];
export interface Block {
  /** From the first back-tick to behind the last. */
  readonly whole: Range;
  readonly body: Range;
}

export interface Step {
  readonly callId: string;
  readonly nameOf: (command: string) => string;
  /** What the harness itself recorded as the command, for responses whose text does not show it. */
  readonly recorded?: string;
}

/** The parts of a response: text, call, text. */
export function actionParts(action: TextAction, step: Step): readonly Part[] {
  const { content, spot } = action;
  const split = splitAction(content, action.fence);
  if (!split) return derivedParts(action, step);
  const place = (segment: Segment) => ({ native: { ...spot, segment } });
  const text = (segment: Segment): readonly Part[] => {
    const value = cut(content, split[segment]);
    return value === "" ? [] : [{ type: "text", text: value, ...place(segment) }];
  };
  const command = cut(content, split.command);
  const call: ToolCallPart = { ...callOf(step, command), ...place("command") };
  return [...text("before"), call, ...text("after")];
}

/**
 * A response without exactly one block is all text; its call has no place of its own, and where not even the harness
 * knows a command, it has no input: an attempt that was answered.
 */
function derivedParts({ content, spot }: TextAction, step: Step): readonly Part[] {
  const call = callOf(step, step.recorded);
  return content.trim() === "" ? [call] : [{ type: "text", text: content, native: { ...spot } }, call];
}

function callOf({ callId, nameOf }: Step, command: string | undefined): ToolCallPart {
  const input = command === undefined ? {} : { command };
  return { type: "tool-call", callId, name: nameOf(command ?? ""), input };
}

/** The change for a part that is a segment of a response; `undefined` for all other parts. */
export function segmentChange(part: Part, spot: Spot, fence: Fence): Change | undefined {
  const segment = string(object(part.native)["segment"]);
  if (segment !== "before" && segment !== "command" && segment !== "after") return undefined;
  const text = part.type === "tool-call" ? string(object(part.input)["command"]) : textOf(part);
  if (text === undefined)
    throw new PalimpsestError("cannot-write", `The ${segment} of an action can only become text.`);
  return { ...spot, to: (old) => withSegment(string(old) ?? "", { segment, text, fence }) };
}

/** A call that was only recorded, or could not be read, stands nowhere in the text. */
export function refuseDerivedCall(part: Part, wire: string): void {
  if (part.type !== "tool-call" || part.native !== undefined) return;
  throw new PalimpsestError(
    "cannot-write",
    `An action of a ${wire} file is part of the text of its message: edit the text, not the call.`,
  );
}

/** The call a message makes or answers, which may have been found by counting; "" where it is no part of a step. */
export function stepOf({ parts }: Message): string {
  const ids = parts.flatMap((part) =>
    part.type === "tool-call" || part.type === "tool-result" ? [part.callId] : [],
  );
  return ids[0] ?? "";
}

/** Fenced blocks whose opening line matches, each up to the next line that begins with a closing fence. */
export function fencedBlocks(content: string, opening: RegExp): readonly Block[] {
  const blocks: Block[] = [];
  const open = new RegExp(opening, "gm");
  for (let found = open.exec(content); found; found = open.exec(content)) {
    const start = found.index + found[0].length;
    const end = content.indexOf("\n```", start - 1);
    if (end < 0) break;
    blocks.push({ whole: [found.index, end + 4], body: [start, Math.max(start, end)] });
    open.lastIndex = end + 4;
  }
  return blocks;
}

function splitAction(content: string, fence: Fence): Split | undefined {
  const [block, ...others] = fence(content);
  if (!block || others.length > 0) return undefined;
  const head = content.slice(0, block.whole[0]).trimEnd();
  const tail = content.slice(block.whole[1]);
  return {
    before: [0, head.length],
    command: block.body,
    after: [content.length - tail.trimStart().length, content.length],
  };
}

/** The white space between text and fence belongs to neither. */
const EDGES: Record<Segment, (text: string) => string> = {
  before: (text) => text.trimEnd(),
  command: (text) => text,
  after: (text) => text.trimStart(),
};

function withSegment(
  content: string,
  change: { readonly segment: Segment; readonly text: string; readonly fence: Fence },
): Json {
  const split = splitAction(content, change.fence);
  const range = split?.[change.segment];
  const next = range && content.slice(0, range[0]) + change.text + content.slice(range[1]);
  const again = next === undefined ? undefined : splitAction(next, change.fence);
  // A text with a fence of its own would be taken for the command, by us and by the harness.
  if (next === undefined || !again || cut(next, again[change.segment]) !== EDGES[change.segment](change.text))
    throw new PalimpsestError(
      "cannot-write",
      `The new ${change.segment} of an action would not be read back as it is written.`,
    );
  return next;
}

function textOf(part: Part): string | undefined {
  return part.type === "text" ? part.text : undefined;
}

function cut(content: string, range: Range): string {
  return content.slice(range[0], range[1]);
}
