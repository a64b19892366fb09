/** A policy whose edits hold for one request alone, from the command line: its outcome is shown, nothing is recorded. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { EXAMPLE, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();

test("is shown and its originals are kept; no compaction is in the ledger", async () => {
  const policy = join(folder, "passing.json");
  const rule = {
    strategy: "aged-results",
    when: "request",
    minTokens: 20,
    keepResults: 1,
    isPersistent: false,
    leave: { kind: "text", text: "[cut]" },
  };
  writeFileSync(policy, JSON.stringify({ extends: "none", name: "passing", prune: [rule] }));
  const store = join(folder, "store");
  const { code, out, err } = await run(["compact", EXAMPLE, "--policy", policy, "--store", store, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const report: CompactReport = JSON.parse(out);
  if (report.outcome.kind !== "compacted") throw new Error(report.outcome.detail);
  expect(report.edits.length).toBeGreaterThan(0);
  expect(report.tokensAfter).toBeLessThan(report.tokensBefore);
  const exported = await run(["export", EXAMPLE, "--store", store]);
  expect(exported.code).toBe(0);
  expect(exported.out).not.toContain('"kind":"compaction"');
  const refs = await run(["refs", "--session", report.outcome.session, "--store", store]);
  expect(refs.out).toContain("ref_");
});
