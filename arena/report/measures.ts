/** What is reported of a score: shares of probes by what became of them. Sets apart, never blended. */
import { type Fate, shareOf } from "../probes/judge.ts";
import type { ProbeSet } from "../probes/probe.ts";
import type { Score } from "../score.ts";

export interface Measure {
  readonly name: string;
  readonly about: string;
  readonly of: (score: Score) => number | undefined;
}

const READ_1: readonly Fate[] = ["visible", "read1"];
const READ_2: readonly Fate[] = [...READ_1, "read2"];
const READ_3: readonly Fate[] = [...READ_2, "read3"];

function share(set: ProbeSet, fates: readonly Fate[]): Measure["of"] {
  return ({ tallies }) => shareOf(tallies[set], fates);
}

export const MEASURES: readonly Measure[] = [
  {
    name: "neededVisible",
    about: "NEEDED, value and an anchor on one line",
    of: share("NEEDED", ["visible"]),
  },
  { name: "neededPlain", about: "NEEDED, value anywhere", of: plainOf },
  { name: "neededRead2", about: "NEEDED, visible or found in two reads", of: share("NEEDED", READ_2) },
  { name: "allVisible", about: "ALL visible", of: share("ALL", ["visible"]) },
  { name: "allRead1", about: "ALL visible or found in one read", of: share("ALL", READ_1) },
  { name: "allRead2", about: "ALL visible or found in two reads", of: share("ALL", READ_2) },
  { name: "allRead3", about: "ALL visible or found in three reads", of: share("ALL", READ_3) },
  { name: "allStored", about: "ALL stored, but not found", of: share("ALL", ["stored"]) },
  { name: "allLost", about: "ALL lost", of: share("ALL", ["lost"]) },
  { name: "userVisible", about: "USER visible", of: share("USER", ["visible"]) },
  { name: "artifactVisible", about: "ARTIFACT (files changed) visible", of: share("ARTIFACT", ["visible"]) },
  { name: "updateVisible", about: "UPDATE, the latest value visible", of: share("UPDATE", ["visible"]) },
  { name: "updateWrong", about: "UPDATE, a stale value shown as current", of: share("UPDATE", ["wrong"]) },
  { name: "absentSeen", about: "ABSENT seen: invented", of: share("ABSENT", ["wrong"]) },
];

function plainOf({ tallies: { NEEDED } }: Score): number | undefined {
  return NEEDED.probes === 0 ? undefined : NEEDED.inSight / NEEDED.probes;
}

export const TOKENS_READ: Measure = {
  name: "tokensPerProbe",
  about: "tokens the reader read per probe of ALL that was not visible",
  of: ({ tallies: { ALL } }) => {
    const looked = ALL.probes - ALL.fates.visible;
    return looked === 0 ? undefined : ALL.tokensRead / looked;
  },
};
