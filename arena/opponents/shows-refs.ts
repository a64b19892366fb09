/**
 * Whether a model under this policy is shown anything it could read back, and given something to read it with. The store
 * keeps everything under every policy; but a faithful copy of a system without refs is scored as that system.
 */
import type { Policy } from "palimpsest";

export function showsRefs({ prune, summary, retrieval }: Policy): boolean {
  if (retrieval !== undefined) return retrieval.tools.length > 0;
  return summary.table !== undefined || prune.some((rule) => "leave" in rule && rule.leave.kind === "stub");
}
