/**
 * When a file is read again or changed, the earlier reading can no longer be true. Its result is replaced; the call
 * stays, so the model still sees that it looked, and when.
 */
import { supersededReads } from "../../transcript/superseded.ts";
import { toolUse } from "../../transcript/tool-use.ts";
import { editResult } from "../leave.ts";
import type { Leave } from "../policy.ts";
import type { Proposal, Situation } from "../situation.ts";

export interface SupersededReadsRule {
  readonly minTokens: number;
  readonly leave: Leave;
}

export function proposeSupersededReads(
  situation: Situation,
  { minTokens, leave }: SupersededReadsRule,
): readonly Proposal[] {
  const overtakers = overtakersByPath(situation);
  return supersededReads(situation.pairing).flatMap(({ pair, path, by }) => {
    if (situation.tokensOf(pair.result.part) < minTokens) return [];
    const edit = editResult(situation, pair, {
      leave,
      why: by === "read again" ? by : `the file was ${by} since`,
    });
    const since = firstAfter(overtakers.get(path) ?? [], pair.result.messageIndex);
    return edit ? [{ edit, place: pair.result, since: since ?? pair.result.messageIndex }] : [];
  });
}

/** Where each file was touched, in order: an earlier reading went stale at the next of these. */
function overtakersByPath({ pairing }: Situation): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { call } of pairing.pairs)
    for (const { path } of toolUse(call.part).files) {
      const known = found.get(path);
      if (known) known.push(call.messageIndex);
      else found.set(path, [call.messageIndex]);
    }
  return found;
}

/** By halves: a file can be touched thousands of times. */
function firstAfter(indices: readonly number[], after: number): number | undefined {
  let low = 0;
  let high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indices[middle] ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return indices[low];
}
