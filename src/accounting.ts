/**
 * How a policy counts what it decides by. What is reported and compared is always measured the same way; but a system
 * that counts characters fires where its own count says so, and only then is it the system it stands for.
 */
import type { Calibration } from "./measure/calibrate.ts";
import { type Counter, counterOf, estimatorFor } from "./measure/count.ts";
import { totalTokens } from "./measure/measure.ts";
import { rulesFor } from "./measure/rules.ts";
import type { AccountingRule, Policy } from "./plan/policy.ts";
import type { Part, Transcript } from "./transcript/message.ts";

export interface Accounting {
  readonly tokensOf: (part: Part) => number;
  readonly tokensOfText: (text: string) => number;
  /** A message besides its parts. */
  readonly messageTokens: number;
  readonly totalOf: (transcript: Transcript) => number;
}

export interface AccountingOptions {
  readonly model: string | undefined;
  readonly calibration: Calibration | undefined;
}

export function accountingOf(
  { accounting }: Pick<Policy, "accounting">,
  { model, calibration }: AccountingOptions,
): Accounting {
  const counter = counterFor(accounting, model);
  const correcting = accounting.basis === "usage" ? calibration : undefined;
  const scale = correcting?.scale ?? 1;
  return {
    tokensOf: (part) => Math.round(counter.part(part) * scale),
    tokensOfText: (text) => Math.round(counter.text(text) * scale),
    messageTokens: counter.messageTokens * scale,
    totalOf: (of) =>
      totalTokens(counted(of, accounting), { counter, ...(correcting ? { calibration: correcting } : {}) }),
  };
}

export function counterFor({ basis, charsPerToken = 4, counts }: AccountingRule, model?: string): Counter {
  const counter = basis === "characters" ? characterCounter(charsPerToken) : estimatorFor(model);
  if (basis === "usage" || counts.includes("call-inputs")) return counter;
  const nameOnly = (part: Part) =>
    part.type === "tool-call" ? Math.ceil(counter.text(part.name)) : counter.part(part);
  return { ...counter, part: nameOnly };
}

/** Without what the policy does not count. Usage cannot be taken apart: there everything counts. */
function counted({ system, tools, ...rest }: Transcript, { basis, counts }: AccountingRule): Transcript {
  return {
    ...rest,
    ...(system && (basis === "usage" || counts.includes("system")) ? { system } : {}),
    ...(tools && (basis === "usage" || counts.includes("tools")) ? { tools } : {}),
  };
}

/** Parts are counted once per ratio; there are two or three ratios in the world. */
const characterCounters = new Map<number, Counter>();

function characterCounter(charsPerToken: number): Counter {
  const known = characterCounters.get(charsPerToken);
  if (known) return known;
  const rules = { ...rulesFor(undefined), messageTokens: 0, callTokens: 0, resultTokens: 0 };
  const made = counterOf("estimate", rules, (text) => text.length / charsPerToken);
  characterCounters.set(charsPerToken, made);
  return made;
}
