/** What became of each probe after a compaction, counted per set. */
import type { Probe, ProbeSet } from "./probe.ts";
import { SETS } from "./probe.ts";
import type { Reader } from "./reader.ts";
import type { Shown } from "./shown.ts";

export type Fate = "visible" | "bare" | "read1" | "read2" | "read3" | "stored" | "lost" | "wrong";
export const FATES: readonly Fate[] = [
  "visible",
  "bare",
  "read1",
  "read2",
  "read3",
  "stored",
  "lost",
  "wrong",
];

/** Of one set in one case. */
export interface Tally {
  readonly probes: number;
  readonly fates: Readonly<Record<Fate, number>>;
  /** In the context at all, anchored or bare: what was bare may have been found by reading, too. */
  readonly inSight: number;
  /** What the scripted reader read for the probes it looked for. */
  readonly tokensRead: number;
}

export type Tallies = Readonly<Record<ProbeSet, Tally>>;

export interface Judging {
  readonly shown: Shown;
  /** Absent where nothing can be read back. */
  readonly reader?: Reader | undefined;
  /** Whether the bytes exist somewhere, found or not. */
  readonly isStored?: (probe: Probe) => boolean;
}

export async function judge(probes: readonly Probe[], judging: Judging): Promise<Tallies> {
  const counts = new Map(
    SETS.map((set) => [set, { probes: 0, fates: noFates(), inSight: 0, tokensRead: 0 }]),
  );
  for (const probe of probes) {
    const { fate, tokens, isInSight } = await fateOf(probe, judging);
    for (const set of probe.sets) {
      const count = counts.get(set);
      if (!count) continue;
      count.probes += 1;
      count.fates[fate] += 1;
      count.inSight += isInSight ? 1 : 0;
      count.tokensRead += tokens;
    }
  }
  return Object.fromEntries(counts) as Tallies;
}

interface Found {
  readonly fate: Fate;
  readonly tokens: number;
  readonly isInSight: boolean;
}

async function fateOf(probe: Probe, { shown, reader, isStored }: Judging): Promise<Found> {
  const found = shown.find(probe);
  const isInSight = found === "visible" || found === "bare";
  // Nobody ever said it: seen with its label, it was invented; not seen is what is wanted.
  if (probe.type === "absent")
    return { fate: found === "visible" ? "wrong" : "visible", tokens: 0, isInSight };
  if (found === "visible" || found === "wrong") return { fate: found, tokens: 0, isInSight };
  const reading = await reader?.read(probe);
  const tokens = reading?.tokens ?? 0;
  if (reading?.reads !== undefined) return { fate: READ[reading.reads] ?? "read3", tokens, isInSight };
  if (found === "bare") return { fate: "bare", tokens, isInSight };
  return { fate: isStored?.(probe) === true ? "stored" : "lost", tokens, isInSight };
}

const READ: Readonly<Record<number, Fate>> = { 1: "read1", 2: "read2", 3: "read3" };

function noFates(): Record<Fate, number> {
  return { visible: 0, bare: 0, read1: 0, read2: 0, read3: 0, stored: 0, lost: 0, wrong: 0 };
}

export function shareOf(tally: Tally, fates: readonly Fate[]): number | undefined {
  if (tally.probes === 0) return undefined;
  return fates.reduce((sum, fate) => sum + tally.fates[fate], 0) / tally.probes;
}
