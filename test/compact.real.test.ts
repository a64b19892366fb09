/**
 * Every real session, every policy, compacted again and again as a session that keeps filling: legal for the strictest
 * provider, never larger, the same twice; and after all of it every part that ever left is read back as it was.
 *
 * Ten times by the default policy, three times by the others, because CI has minutes; `PALIMPSEST_LAW_RUNS`, which
 * makes the laws run long, makes it ten for all.
 */
import { describe, expect, test } from "vitest";
import { view } from "../src/apply/view.ts";
import { compact, type Outcome } from "../src/compact.ts";
import { openFile } from "../src/file.ts";
import { addressKey } from "../src/plan/edit.ts";
import { policyNamed, policyNames } from "../src/plan/policies.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Store } from "../src/store/store.ts";
import { renderSummary } from "../src/summarize/render.ts";
import { check } from "../src/transcript/check.ts";
import { hasUserWords, type Part, type Transcript } from "../src/transcript/message.ts";
import { pairUp } from "../src/transcript/pairs.ts";
import { addressParts } from "../src/transcript/ref.ts";
import { samePart } from "../src/transcript/same-part.ts";
import { toolUse } from "../src/transcript/tool-use.ts";
import { stepsOf } from "../src/transcript/turns.ts";
import { readSession } from "../src/wire/wires.ts";
import { realSessions, SKIPPED } from "./real-sessions.ts";

const AT = Date.UTC(2026, 10, 18);
const isLong = process.env["PALIMPSEST_LAW_RUNS"] !== undefined;
const stageCount = (policy: string) => (policy === "palimpsest" || isLong ? 10 : 3);
const WINDOW = 40_000;

/** The conversation as it was after a tenth, two tenths, … of its steps, or a third. */
function stagesOf({ messages, ...around }: Transcript, count: number): readonly Transcript[] {
  const ends = stepsOf({ messages }).map(({ end }) => end);
  const cuts = Array.from(
    { length: count },
    (_, stage) => ends[Math.floor(((stage + 1) * ends.length) / count) - 1] ?? messages.length,
  );
  return cuts.map((end) => ({ ...around, messages: messages.slice(0, end) }));
}

async function cascade(
  stages: readonly Transcript[],
  policy: string,
): Promise<{ readonly store: Store; readonly outcomes: readonly Outcome[] }> {
  const store = memoryStore();
  await store.openSession({ id: "s", at: AT });
  const outcomes: Outcome[] = [];
  for (const stage of stages)
    outcomes.push(
      await compact(stage, {
        store,
        sessionId: "s",
        policy: policyNamed(policy),
        trigger: "manual",
        at: AT,
        windowTokens: WINDOW,
      }),
    );
  return { store, outcomes };
}

describe.skipIf(realSessions.length === 0)(`real sessions, compacted again and again (${SKIPPED})`, () => {
  describe.each(policyNames)("by %s", (policy) => {
    test.for(realSessions)("$name", async ({ path }) => {
      const { whole } = readSession(openFile(path));
      const stages = stagesOf(whole, stageCount(policy));
      const { store, outcomes } = await cascade(stages, policy);
      const again = await cascade(stages, policy);
      expect(JSON.stringify(again.outcomes.map(idOf))).toBe(JSON.stringify(outcomes.map(idOf)));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind === "compacted")
          expect(outcome.compaction.tokensAfter).toBeLessThan(outcome.compaction.tokensBefore);
        expect(
          check(outcome.transcript, { as: "record", original: outcome.transcript }),
          `stage ${index}`,
        ).toEqual([]);
      }
      const last = stages.at(-1) ?? whole;
      await expectAllRecalled(last, store);
      if (policy === "palimpsest") expectKept(last, outcomes, view(last, await store.ledger("s")));
    });
  });
});

function idOf(outcome: Outcome): string {
  return outcome.kind === "compacted" ? outcome.compaction.id : outcome.because;
}

async function expectAllRecalled(transcript: Transcript, store: Store): Promise<void> {
  const parts = new Map(addressParts(transcript).map((addressed) => [addressKey(addressed), addressed.part]));
  for (const entry of await store.ledger("s")) {
    for (const { at } of entry.kind === "compaction" ? entry.edits : []) {
      const recalled = await store.recall("s", at.ref);
      const original = parts.get(addressKey(at));
      if (recalled.kind !== "found" || !original)
        throw new Error(`${at.ref} cannot be read back: ${recalled.kind}`);
      expect(samePart(sameCall(recalled.original.part), sameCall(original))).toBe(true);
    }
  }
}

/** Equal content has one ref, whichever call it answered. */
function sameCall(part: Part): Part {
  return "callId" in part ? { ...part, callId: "" } : part;
}

/** Laws 2 and 7: the user's words are there, and so is every file that was changed by what was folded. */
function expectKept(transcript: Transcript, outcomes: readonly Outcome[], shown: Transcript): void {
  const texts = new Set(
    shown.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []))),
  );
  for (const message of transcript.messages.filter(hasUserWords)) {
    for (const part of message.parts)
      if (part.type === "text" && !part.synthetic && part.text.length < 8_000)
        expect(texts.has(part.text), part.text.slice(0, 80)).toBe(true);
  }
  const last = outcomes.findLast(
    (outcome) => outcome.kind === "compacted" && outcome.compaction.summary !== undefined,
  );
  const summary =
    last?.kind === "compacted" && last.compaction.summary ? renderSummary(last.compaction.summary) : "";
  const visible = `${summary}\n${JSON.stringify(shown.messages)}`;
  for (const { call, result } of pairUp(transcript).pairs) {
    if (!result || result.part.isError) continue;
    for (const { does, path } of toolUse(call.part).files)
      if (does !== "read") expect(visible.includes(path.split("/").at(-1) ?? path), path).toBe(true);
  }
}
