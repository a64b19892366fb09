/** What a model is given to work from: what an opponent left, as text, and the store where it offers refs. */
import type { Store } from "palimpsest";
import type { Left } from "../opponents/opponent.ts";
import type { Line } from "../probes/lines.ts";

export interface Seen {
  readonly text: string;
  readonly store?: Store | undefined;
}

export function seenOf({ shown, store }: Pick<Left, "shown" | "store">): Seen {
  return { text: textOf(shown.lines), store };
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join("\n");
}
