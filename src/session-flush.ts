/** Some systems let their model write down what must last before a fold: the host runs that turn. */
import type { Policy } from "./plan/policy.ts";
import type { Notices } from "./session-notices.ts";
import type { SessionOptions } from "./session-options.ts";

/** A failure here is reported, and the fold goes on. */
export async function flushNotes(
  { continuation: { flush } }: Pick<Policy, "continuation">,
  { onFlush }: Pick<SessionOptions, "onFlush">,
  notices: Notices,
): Promise<void> {
  if (flush === undefined || !onFlush) return;
  try {
    await onFlush(flush);
  } catch (error) {
    notices.report(error, "no notes were written");
  }
}
