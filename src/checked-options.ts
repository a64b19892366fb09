/** What is wrong with the options of a session is said when it is opened: later it would look as if nothing had to be done. */
import { PalimpsestError } from "./errors.ts";
import { policyNamed } from "./plan/policies.ts";
import type { Policy } from "./plan/policy.ts";
import { Notices } from "./session-notices.ts";
import type { SessionOptions } from "./session-options.ts";
import { bodyWireNamed } from "./wire/wires.ts";

export interface Given extends SessionOptions {
  readonly policy: Policy;
}

/** A policy or a wire that is none throws; a window that is none is not believed. */
export function checkedOptions({ windowTokens, ...options }: SessionOptions): Given {
  const { policy = "palimpsest", wire } = options;
  if (typeof wire === "string") bodyWireNamed(wire);
  const given = { ...options, policy: typeof policy === "object" ? policy : policyNamed(policy) };
  if (windowTokens === undefined) return given;
  if (isNumber(windowTokens)) return { ...given, windowTokens };
  const said = `windowTokens is a number of tokens, not ${typeof windowTokens === "number" ? windowTokens : JSON.stringify(windowTokens)}.`;
  new Notices(options).report(new PalimpsestError("usage", said), "the model's own window is used");
  return given;
}

/** `Number(process.env.WINDOW)` is NaN where there is no such variable, and nothing is ever larger than NaN. */
function isNumber(value: unknown): boolean {
  return typeof value === "number" && !Number.isNaN(value);
}
