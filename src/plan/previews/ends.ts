/** Head and tail of a text, cut at lines where there are any, with a line that says how much is missing. */
import { estimateTokens } from "../../measure/estimate.ts";

export interface Ends {
  readonly headTokens: number;
  readonly tailTokens: number;
}

export function endsOf(text: string, { headTokens, tailTokens }: Ends): string {
  const head = headChars(text, headTokens);
  const tail = tailChars(text, tailTokens);
  if (head + tail >= text.length) return text;
  const lines = lineEndsIn(text, head, text.length - tail);
  const size = lines > 0 ? `${lines} lines` : `${text.length - tail - head} characters`;
  return `${text.slice(0, head).trimEnd()}\n[… ${size} …]\n${text.slice(text.length - tail).trimStart()}`;
}

function lineEndsIn(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** As much of the start as this many tokens hold. */
export function startOf(text: string, maxTokens: number): string {
  const chars = headChars(text, maxTokens);
  return chars >= text.length ? text : `${text.slice(0, chars).trimEnd()}\n[…]`;
}

/** Between lines where one ends in the last quarter; never between the halves of a surrogate pair. */
function headChars(text: string, tokens: number): number {
  const chars = charsFor(text.slice(0, SAMPLE_CHARS), tokens);
  if (chars >= text.length) return text.length;
  const line = text.lastIndexOf("\n", chars);
  if (line > chars * 0.75) return line + 1;
  return isLowSurrogate(text.charCodeAt(chars)) ? chars - 1 : chars;
}

function tailChars(text: string, tokens: number): number {
  const chars = charsFor(text.slice(-SAMPLE_CHARS), tokens);
  if (chars >= text.length) return text.length;
  const line = text.indexOf("\n", text.length - chars);
  if (line >= 0 && text.length - line - 1 > chars * 0.75) return text.length - line - 1;
  return isLowSurrogate(text.charCodeAt(text.length - chars)) ? chars - 1 : chars;
}

/** How dense a text is shows in a few pages of it; a megabyte is not counted to cut off two. */
const SAMPLE_CHARS = 20_000;

function charsFor(sample: string, tokens: number): number {
  if (sample === "" || tokens <= 0) return 0;
  return Math.floor((tokens * sample.length) / Math.max(1, estimateTokens(sample)));
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
