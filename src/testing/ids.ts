/** Ids that look like the provider's and are a function of the conversation: the same test makes the same ids twice. */
import { createHash } from "node:crypto";

export function idFrom(prefix: string, seed: string, of = ""): string {
  const letters = createHash("sha256").update(`${prefix} ${seed} ${of}`).digest("base64url");
  return `${prefix}${letters.replaceAll(/[-_]/g, "").slice(0, 24)}`;
}
