/**
 * Parts that are one text and nothing else, which nearly all of a session is: a line of JSON says what such a part is, and its
 * text stands behind it as it is. Refs are made of this, and stores keep it, so that it is spelled and hashed once: escaping
 * megabytes of output takes longer than all the rest. The lines stand in users' stores and never change.
 */
import type { Part } from "./message.ts";

export interface LoneText {
  /** With its line end. */
  readonly head: string;
  readonly text: string;
}

/** `undefined` where there is more to a part than a text. What UTF-8 cannot spell is among them: see `isWellFormed`. */
export function loneTextOf(part: Part): LoneText | undefined {
  const lone = part.type === "tool-result" ? loneOutput(part) : part.type === "text" ? part : undefined;
  return lone && { head: headFor(part), text: lone.text };
}

function loneOutput({
  output,
}: Extract<Part, { readonly type: "tool-result" }>): { readonly text: string } | undefined {
  const [first] = output;
  return output.length === 1 && first?.type === "text" ? first : undefined;
}

function headFor(part: Part): string {
  if (part.type !== "tool-result") return TEXT;
  return part.isError ? ERROR : RESULT;
}

const TEXT = '{"type":"text"}\n';
const RESULT = '{"type":"tool-result","output":[{"type":"text"}],"isError":false}\n';
const ERROR = '{"type":"tool-result","output":[{"type":"text"}],"isError":true}\n';

/** Node 20 has the method; the library of types that says so comes with a later target. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
