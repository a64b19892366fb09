/** What a user is told. */
import type { Compacted } from "./compact.ts";

export function compactedNotice({ compaction, originals }: Compacted): string {
  const { tokensBefore, tokensAfter } = compaction;
  return `Compacted: ${tokensBefore} → ${tokensAfter} tokens; ${originals.length} originals can be read back.`;
}

export function brokenNotice(failures: number, detail: string): string {
  return `Compaction did not help ${failures} times in a row (${detail}); it is off until the next one asked for.`;
}
