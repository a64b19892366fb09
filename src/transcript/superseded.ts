/**
 * Reads that are no longer the truth: a later read of the same lines, or a later edit, has overtaken them. The
 * earlier result can still be recalled, but nobody should work from it.
 */
import type { Pair, Pairing } from "./pairs.ts";
import { type FileUse, toolUse } from "./tool-use.ts";

export interface SupersededRead {
  readonly pair: Pair & { readonly result: NonNullable<Pair["result"]> };
  readonly path: string;
  readonly by: "read again" | "edited" | "written";
}

/** Ranges remembered per file. A file read in more pieces than this is a scan, and its pieces stay. */
const MAX_RANGES = 64;

/** Walks backwards, so that what came later to each file is at hand. In the order of the calls. */
export function supersededReads(pairing: Pairing): readonly SupersededRead[] {
  const later = new Map<string, readonly FileUse[]>();
  const found: SupersededRead[] = [];
  for (const pair of pairing.pairs.toReversed()) {
    const { call, result } = pair;
    if (!result || result.part.isError) continue;
    const { files } = toolUse(call.part);
    // A result that shows several files is superseded only when all of them are.
    const overtakers = files.map((use) => later.get(use.path)?.find((other) => overtakes(other, use)));
    const [overtaker] = overtakers;
    const isRead = files.every(({ does }) => does === "read");
    if (overtaker && isRead && overtakers.every((other) => other !== undefined)) {
      found.push({ pair: { ...pair, result }, path: overtaker.path, by: how(overtaker) });
    }
    for (const use of files) later.set(use.path, remember(use, later.get(use.path) ?? []));
  }
  return found.reverse();
}

function remember(use: FileUse, later: readonly FileUse[]): readonly FileUse[] {
  return [use, ...later.filter((other) => !overtakes(use, other))].slice(0, MAX_RANGES);
}

/** An edit makes any earlier reading stale; a reading only one of the same lines or fewer. */
function overtakes(later: FileUse, earlier: FileUse): boolean {
  if (later.does !== "read") return true;
  if (earlier.does !== "read") return false;
  return firstLine(later) <= firstLine(earlier) && lastLine(later) >= lastLine(earlier);
}

function firstLine(use: FileUse): number {
  return use.fromLine ?? 1;
}

function lastLine(use: FileUse): number {
  return use.toLine ?? Number.POSITIVE_INFINITY;
}

function how(use: FileUse): SupersededRead["by"] {
  if (use.does === "read") return "read again";
  return use.does === "edit" ? "edited" : "written";
}
