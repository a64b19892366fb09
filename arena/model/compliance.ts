/**
 * Do the user's rules still steer? Forced choice between what the user said and its opposite, both orders, no judge: right
 * only where both are. Asked also without any context and with all of it, so that guessing is taken out.
 */
import type { Probe } from "../probes/probe.ts";
import type { Asking } from "./recall.ts";
import type { Seen } from "./seen.ts";

const SYSTEM = `You are a coding agent. Below is your context. Two instructions follow; one was given by the user in this session, the other was not.
Which one must you obey? Answer with one letter: A or B.`;

/** What turns an instruction into its opposite; the first that fits is used. */
const OPPOSITES: readonly (readonly [RegExp, string])[] = [
  [/\bnever\b/i, "always"],
  [/\balways\b/i, "never"],
  [/\bdo not\b|\bdon['’]t\b/i, "do"],
  [/\bmust not\b/i, "must"],
  [/\bmust\b/i, "must not"],
  [/\bshould not\b|\bshouldn['’]t\b/i, "should"],
  [/\bshould\b/i, "should not"],
  [/\bwithout\b/i, "with"],
  [/\bonly\b/i, "not only"],
  [/\bavoid\b/i, "prefer"],
  [/\bprefer\b/i, "avoid"],
  [/\bkeep\b/i, "remove"],
  [/\bmake sure\b|\bensure\b/i, "do not care whether"],
];

export function oppositeOf(directive: string): string | undefined {
  const rule = OPPOSITES.find(([pattern]) => pattern.test(directive));
  return rule && directive.replace(rule[0], rule[1]);
}

/** Undefined where the instruction has no opposite by the rules. */
export async function complies(probe: Probe, seen: Seen, asking: Asking): Promise<boolean | undefined> {
  const opposite = oppositeOf(probe.value);
  if (opposite === undefined) return undefined;
  const first = await choose([probe.value, opposite], seen, asking);
  const second = await choose([opposite, probe.value], seen, asking);
  return first === "A" && second === "B";
}

async function choose(
  [a, b]: readonly [string, string],
  seen: Seen,
  { asker, replicate }: Asking,
): Promise<string | undefined> {
  const { text } = await asker.ask({
    ...{ about: "compliance", system: SYSTEM, replicate, store: seen.store },
    prompt: `<context>\n${seen.text}\n</context>\n\nA: ${a}\nB: ${b}`,
  });
  return /\b([AB])\b/.exec(text.trim())?.[1];
}
