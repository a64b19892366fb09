/** What the harness itself wrote when it compacted: a real model's summary, already paid for and in the file. */
import type { NativeCompaction } from "palimpsest";
import { charsOf, linesOfPart } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";
import type { Left } from "./opponent.ts";

export function nativeLeft({ summary }: NativeCompaction): Left {
  const lines = (summary?.parts ?? []).flatMap(linesOfPart);
  const shown = new Shown(lines, lines);
  return { shown, chars: charsOf(lines), fits: true, refused: 0, stages: [shown] };
}
