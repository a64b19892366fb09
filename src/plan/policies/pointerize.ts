/**
 * Seed 003, the pointer arm: nothing is retold. Tool results and the model's own texts over a threshold become refs in
 * their place, a table of all refs stands at the end, and the model is told to read before it answers.
 *
 * Options are what the experiments varied. Each default is the one that won there.
 */
import type { OptionRule, Policy } from "../policy.ts";
import { ARM_NOTES, threshold } from "./summarize.ts";

const over = (tokens: number) => ({ "prune.0.minTokens": tokens + 1, "prune.1.minTokens": tokens + 1 });

const leaving = (format: string, more: object = {}) => ({
  "prune.0.leave": { kind: "stub", format, ...more },
  "prune.1.leave": { kind: "stub", format, ...more },
});

const POINTER_OPTIONS: Readonly<Record<string, OptionRule>> = {
  threshold: {
    about: "tokens over which a result or text becomes a ref",
    values: { "150": over(150), "300": over(300), "500": over(500) },
  },
  format: {
    about: "what stands in its place",
    values: {
      opaque: { ...leaving("opaque"), "summary.table": null },
      titled: { ...leaving("titled"), "summary.table": null },
      preview: { ...leaving("preview", { previewChars: 200 }), "summary.table": null },
      table: leaving("opaque"),
    },
  },
  interface: {
    about: "the tools to read back with",
    values: {
      read: { "retrieval.tools": ["read_ref"] },
      "read+list": { "retrieval.tools": ["read_ref", "list_refs"] },
      "read+search": { "retrieval.tools": ["read_ref", "search_refs"] },
      all: { "retrieval.tools": ["read_ref", "list_refs", "search_refs"] },
    },
  },
  prompt: {
    about: "how reading back is put to the model",
    values: {
      prescriptive: { "retrieval.prompt": "prescriptive" },
      passive: { "retrieval.prompt": "passive" },
    },
  },
};

const POINTER_NOTES: Readonly<Record<string, string>> = {
  ...ARM_NOTES,
  "prune.0.minTokens": "seed 003: results over 300 tokens; 150 and 500 did worse",
  "prune.1.minTokens": "seed 003: assistant messages as refs, the largest single win (about 11 points)",
  "prune.0.keepShareOfMessages": "seed 003, realistic testing: 60 % compacted, 40 % recent preserved",
  "prune.1.keepShareOfMessages": "seed 003, realistic testing: 60 % compacted, 40 % recent preserved",
  "prune.0.leave.format":
    "seed 003: the table says what each ref is; inline descriptions get used instead of it",
  "summary.table": "seed 003: a markdown table of all refs at the end of the context; the limit is ours",
  "retrieval.tools": "seed 003: read_ref and list_refs won: all succeeded, none made up",
  "retrieval.prompt": "seed 003: read, evaluate, read more, then answer",
  "retrieval.descriptions": "seed 003: `File: …`, `Command output: …`, `Error: …` gain about 5 points",
  "summary.maxTokens": "no summary",
};

export const pointerize: Policy = {
  name: "pointerize",
  about:
    "results and the model's texts over 300 tokens become refs in place, with a table; nothing is retold",
  source: "seed 003 (Lossless Compaction), the pointer arm",
  options: POINTER_OPTIONS,
  notes: POINTER_NOTES,
  trigger: { at: [threshold] },
  accounting: { basis: "usage", counts: ["system", "tools", "call-inputs"] },
  prune: [
    {
      strategy: "aged-results",
      when: "full",
      minTokens: 301,
      keepShareOfMessages: 0.4,
      leave: { kind: "stub", format: "opaque" },
    },
    {
      strategy: "assistant-texts",
      when: "full",
      minTokens: 301,
      keepShareOfMessages: 0.4,
      leave: { kind: "stub", format: "opaque" },
    },
  ],
  tail: { folds: "nothing" },
  summary: {
    by: "none",
    maxTokens: { share: 0 },
    update: "merge",
    files: "none",
    table: { share: 0.05, atLeastTokens: 600, atMostTokens: 4_000 },
  },
  retrieval: { tools: ["read_ref", "list_refs"], prompt: "prescriptive", descriptions: "semantic" },
  restore: { maxFiles: 0 },
  placement: { role: "user", at: "end" },
  continuation: { overflowRetries: 1 },
  safety: { minFoldTokens: 200, minSavedTokens: 1, maxFailures: 3, waitsUpTo: threshold },
};
