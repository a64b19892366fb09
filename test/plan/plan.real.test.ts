/** Every real session, in windows it does not fit: what is planned can be sent, is smaller, and comes to an end. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import { openFile } from "../../src/file.ts";
import type { Compaction } from "../../src/plan/ledger.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { nucleic } from "../../src/plan/policies/nucleic.ts";
import { palimpsest } from "../../src/plan/policies/palimpsest.ts";
import { check } from "../../src/transcript/check.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { readSession } from "../../src/wire/wires.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { committed, planInput, totalOf } from "./plans.ts";

const WINDOWS = [20_000, 50_000, 100_000];

describe.skipIf(realSessions.length === 0)(`real sessions (${SKIPPED} otherwise)`, () => {
  test.each(realSessions)(
    "$name",
    ({ path }) => {
      const { whole } = readSession(openFile(path));
      const known = new Set(check(whole, { as: "record", original: whole }).map(({ code }) => code));
      for (const windowTokens of WINDOWS)
        for (const policy of [palimpsest, nucleic]) {
          const view = settled(whole, { windowTokens, policy });
          const label = `${policy.name} in ${windowTokens}`;
          const found = check(view, { as: "record", original: whole }).filter(({ code }) => !known.has(code));
          expect(found, label).toEqual([]);
          expect(totalOf(view), label).toBeLessThanOrEqual(totalOf(whole));
        }
    },
    120_000,
  );
});

type Setting = Pick<Parameters<typeof makePlan>[0], "windowTokens" | "policy">;

function settled(whole: Transcript, setting: Setting): Transcript {
  let ledger: readonly Compaction[] = [];
  for (let round = 0; round < 20; round += 1) {
    const plan = makePlan(planInput(whole, { ...setting, outputTokens: 4_000, trigger: "overflow" }, ledger));
    if (plan.edits.length === 0) return viewOf(whole, ledger).transcript;
    ledger = committed(plan, ledger);
  }
  throw new Error("it never ends");
}
