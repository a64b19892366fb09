/** What a call is, in a few words: `Read src/a.ts`, `Bash npm test`. It says what it is, never what came of it. */
import { object, string } from "./json.ts";
import type { ToolCallPart } from "./message.ts";
import { toolUse } from "./tool-use.ts";

const SHOWN_CHARS = 80;

export function describeCall(call: ToolCallPart, chars: number = SHOWN_CHARS): string {
  return `${call.name} ${shorten(subjectOf(call), chars)}`.trim();
}

function subjectOf(call: ToolCallPart): string {
  const use = toolUse(call);
  if (use.command !== undefined) return use.command;
  if (use.files.length > 0) return use.files.map(({ path }) => path).join(", ");
  if (typeof call.input === "string") return call.input;
  const telling = TELLING_KEYS.map((key) => string(object(call.input)[key])).find(
    (value) => value !== undefined,
  );
  return telling ?? JSON.stringify(call.input);
}

/** The field that says what a call is about, where the tool is none we know; the first that is there. */
const TELLING_KEYS = [
  "description",
  "pattern",
  "query",
  "url",
  "title",
  "prompt",
  "question",
  "skill",
  "name",
];

/** One line of at most `chars` characters. Control characters go: what a tool printed must not act on a terminal. */
export function shorten(text: string, chars: number = SHOWN_CHARS): string {
  const start = text.slice(0, chars * 4);
  // Most is plain ASCII, where there is nothing to replace; Unicode classes take ten times as long to say so.
  const line = (/[^ -~]| {2}/.test(start) ? start.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ") : start).trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
}

/**
 * The same, but what is left out is left out in the middle: paths and commands begin alike and differ at their end, in
 * the name of the file, the flags, how it ended. A little more than half is the beginning.
 */
export function shortenMiddle(text: string, chars: number = SHOWN_CHARS): string {
  const ends = text.length <= chars * 8 ? text : `${text.slice(0, chars * 4)} ${text.slice(-chars * 4)}`;
  const line = shorten(ends, ends.length);
  if (line.length <= chars) return line;
  const head = Math.ceil((chars - 1) * 0.55);
  return `${line.slice(0, head)}…${line.slice(line.length - (chars - 1 - head))}`;
}
