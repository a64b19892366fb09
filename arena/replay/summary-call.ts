/** What it would take to have a model write a summary: billed where a policy has one, though here the extractor wrote it. */
import { modelNamed, type Usage } from "palimpsest";
import { type Block, STANDING_BLOCKS } from "./prefix-cache.ts";

const FAST: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-5-mini",
  google: "gemini-3-flash",
};

/** A model of the same make reads what is folded: another one anew, the same one from its cache. */
export function summaryCall(
  before: readonly Block[],
  outputTokens: number,
  { isFast, model }: { readonly isFast: boolean; readonly model: string },
): { readonly usage: Usage; readonly model: string } {
  const prompt = before.slice(isFast ? STANDING_BLOCKS : 0).reduce((sum, { tokens }) => sum + tokens, 0);
  const output = Math.round(outputTokens);
  const usage = { cacheWriteTokens: 0, outputTokens: output };
  if (!isFast) return { model, usage: { ...usage, uncachedTokens: 500, cacheReadTokens: prompt } };
  return {
    model: FAST[modelNamed(model).vendor] ?? model,
    usage: { ...usage, uncachedTokens: prompt, cacheReadTokens: 0 },
  };
}
