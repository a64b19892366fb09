/**
 * What edits took out of a file. An edit may take out a piece of a line: what holds the piece is another line now. Asked
 * for the few lines that would be quoted, by how a piece begins: each edit against each line is quadratic in a session.
 */
import { Units } from "../transcript/units.ts";
import { MIN_CHARS } from "./clean-lines.ts";
import { Numbers } from "./numbers.ts";

interface Piece {
  readonly text: string;
  readonly order: number;
}

export class Struck {
  readonly #pieces: Piece[][] = [];
  /** By how they begin: where among the pieces those are. */
  readonly #byStart = new Numbers();

  /** @param order of the last line that was said before */
  add(text: string, order: number): void {
    const start = startAt(lineUnits.of(text), 0);
    const known = this.#pieces[this.#byStart.get(start)];
    if (known) known.push({ text, order });
    else this.#byStart.set(start, this.#pieces.push([{ text, order }]) - 1);
  }

  holds(line: Piece): boolean {
    const units = lineUnits.of(line.text);
    for (let at = 0; at + MIN_CHARS <= line.text.length; at += 1) {
      const gone = this.#byStart.get(startAt(units, at));
      if (gone >= 0 && this.#holdsAt(at, line, this.#pieces[gone] as readonly Piece[])) return true;
    }
    return false;
  }

  #holdsAt(at: number, { text, order }: Piece, gone: readonly Piece[]): boolean {
    return gone.some((piece) => piece.order >= order && text.startsWith(piece.text, at));
  }
}

/** Of one line, and read before the next. */
const lineUnits = new Units();

/** The same for the same beginning, and mostly another for others: nothing is cut out to be looked up. */
function startAt(units: Uint16Array, from: number): number {
  let start = 0;
  for (let at = from; at < from + MIN_CHARS; at += 1)
    start = (Math.imul(start, 31) + (units[at] as number)) | 0;
  return start;
}
