/**
 * Whether a model under this policy sees refs, and has something to read them with. The store keeps everything under every
 * policy; but a faithful copy of a system without refs shows none, and its summary ends without them.
 */
import type { Policy } from "./policy.ts";

export function showsRefs({ prune, summary, retrieval }: Policy): boolean {
  if (retrieval !== undefined) return retrieval.tools.length > 0;
  return summary.table !== undefined || prune.some((rule) => "leave" in rule && rule.leave.kind === "stub");
}
