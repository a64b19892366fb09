/**
 * Seed 004 at its own settings: a window of 200,000 tokens, a system prefix of about 10,000 ("System prefix | ~10K | 5%"), and
 * real sessions at the step that brings them over its mark.
 */
import { describe, expect, test } from "vitest";
import { openFile } from "../../../src/file.ts";
import { estimatorFor, messageTokens } from "../../../src/measure/count.ts";
import { measure } from "../../../src/measure/measure.ts";
import { isBound } from "../../../src/plan/bound.ts";
import { policyNamed } from "../../../src/plan/policies.ts";
import { marksOf } from "../../../src/plan/size.ts";
import type { Transcript } from "../../../src/transcript/message.ts";
import { stepsOf } from "../../../src/transcript/turns.ts";
import { readSession } from "../../../src/wire/wires.ts";
import { realSessions, SKIPPED } from "../../real-sessions.ts";
import { act } from "./acting.ts";

const WINDOW = { windowTokens: 200_000 };
const ROOM = { windowTokens: 200_000, outputTokens: 64_000 };
const { boundary: TRIGGER, target: TARGET } = marksOf(policyNamed("ion"), ROOM);
const PREFIX = "You are ion. Read before you write, and run the tests after each change.\n".repeat(600);

/** The conversation up to the step that goes over the mark; undefined where none does. */
function filled(session: Transcript): Transcript | undefined {
  const whole: Transcript = { ...session, system: [{ type: "text", text: PREFIX }] };
  const counter = estimatorFor(whole.model);
  let tokens = measure({ ...whole, messages: [] }, { counter }).total;
  const last = whole.messages.findIndex((message) => {
    tokens += messageTokens(message, counter);
    return tokens > TRIGGER * 1.02;
  });
  const end = last < 0 ? undefined : stepsOf(whole).find((step) => step.end > last)?.end;
  return end === undefined ? undefined : { ...whole, messages: whole.messages.slice(0, end) };
}

const full = realSessions.flatMap(({ name, path }) => {
  const transcript = filled(readSession(openFile(path)).whole);
  return transcript ? [{ name, transcript }] : [];
});

describe.skipIf(full.length === 0)(`ion on sessions that fill its window (${SKIPPED})`, () => {
  test.for(full)(
    "$name: asked for, 3 × at least, and 5 × at most but for what cannot stay",
    async (given) => {
      const { outcome, said } = await act(given.transcript, "ion", { trigger: "manual", ...WINDOW });
      if (outcome.kind !== "compacted") throw new Error(outcome.detail);
      const { tokensBefore, tokensAfter } = outcome.compaction;
      const ratio = tokensBefore / tokensAfter;
      expect(ratio).toBeGreaterThan(3);
      // More only where the step in progress had to fold, or one result was larger than the window.
      const isStepFolded = said.at(-1)?.includes("The results you were waiting for") === true;
      if (!isStepFolded && tokensBefore < ROOM.windowTokens) expect(ratio).toBeLessThan(5);
    },
  );

  test.for(full)(
    "$name: when idle, down to its target, or below its mark while the turn goes on",
    async ({ transcript }) => {
      const { outcome } = await act(transcript, "ion", { trigger: "idle", ...WINDOW });
      if (outcome.kind !== "compacted") {
        expect(outcome.detail).toContain("the model waits for results");
        return;
      }
      const isWaiting = isBound(transcript);
      expect(outcome.compaction.tokensAfter).toBeLessThanOrEqual(isWaiting ? TRIGGER : TARGET);
    },
  );
});
