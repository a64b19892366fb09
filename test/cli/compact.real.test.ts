/** Every real session, compacted from the command line and restored. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { run, scratchFolder } from "./run.ts";

describe.skipIf(realSessions.length === 0)(`every real session (${SKIPPED})`, () => {
  const folder = scratchFolder();
  const store = join(folder, "store");

  test.for(realSessions)("$name is compacted and restored", async ({ path }) => {
    const { code, out, err } = await run(["compact", path, "--window", "50000", "--store", store, "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const report: CompactReport = JSON.parse(out);
    expect(report.ratio < 1 || report.outcome.kind === "unchanged").toBe(true);
    const restored = join(folder, "restored");
    expect(await run(["restore", path, "--store", store, "-o", restored])).toMatchObject({ code: 0 });
    expect(sha256(restored)).toBe(sha256(path));
  });
});

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
