/**
 * What edits took out of a file. An edit may take out a piece of a line: what holds the piece is another line now. Asked
 * for the few lines that would be quoted, by how a piece begins: each edit against each line is quadratic in a session.
 */
import { codeAt } from "../transcript/code-at.ts";
import { MIN_CHARS } from "./clean-lines.ts";

export class Struck {
  readonly #byStart = new Map<number, { readonly text: string; readonly order: number }[]>();

  /** @param order of the last line that was said before */
  add(text: string, order: number): void {
    const start = startAt(text, 0);
    const known = this.#byStart.get(start);
    if (known) known.push({ text, order });
    else this.#byStart.set(start, [{ text, order }]);
  }

  holds({ text, order }: { readonly text: string; readonly order: number }): boolean {
    for (let at = 0; at + MIN_CHARS <= text.length; at += 1) {
      const gone = this.#byStart.get(startAt(text, at));
      if (gone?.some((piece) => piece.order >= order && text.startsWith(piece.text, at))) return true;
    }
    return false;
  }
}

/** The same for the same beginning, and mostly another for others: nothing is cut out to be looked up. */
function startAt(text: string, from: number): number {
  let start = 0;
  for (let at = from; at < from + MIN_CHARS; at += 1) start = (Math.imul(start, 31) + codeAt(text, at)) | 0;
  return start;
}
