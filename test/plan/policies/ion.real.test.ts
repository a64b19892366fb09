/** Seed 004 at its own settings, on real sessions at the moment they fill its window of 200,000 tokens. */
import { describe, expect, test } from "vitest";
import { openFile } from "../../../src/file.ts";
import { estimatorFor, messageTokens } from "../../../src/measure/count.ts";
import { measure } from "../../../src/measure/measure.ts";
import type { Transcript } from "../../../src/transcript/message.ts";
import { stepsOf } from "../../../src/transcript/turns.ts";
import { readSession } from "../../../src/wire/wires.ts";
import { realSessions, SKIPPED } from "../../real-sessions.ts";
import { act } from "./acting.ts";

const TRIGGER = 101_200;
const TARGET = 82_800;

/** The conversation up to the step that goes over the mark; undefined where none does. */
function filled(whole: Transcript): Transcript | undefined {
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
  test.for(full)("$name: asked for, at least its 3 ×", async ({ transcript }) => {
    const { outcome } = await act(transcript, "ion", { trigger: "manual", windowTokens: 200_000 });
    if (outcome.kind !== "compacted") throw new Error(outcome.detail);
    const { tokensBefore, tokensAfter } = outcome.compaction;
    expect(tokensBefore / tokensAfter).toBeGreaterThan(3);
  });

  test("when idle, down to its 45 % without a summary where no sealed thinking is in the way", async () => {
    const reached = { yes: 0, no: 0 };
    for (const { transcript } of full) {
      const { outcome } = await act(transcript, "ion", { trigger: "idle", windowTokens: 200_000 });
      if (outcome.kind === "compacted") reached[outcome.compaction.tokensAfter < TARGET ? "yes" : "no"] += 1;
      else expect(outcome.detail).toContain("the model waits for results");
    }
    expect(reached.yes).toBeGreaterThan(4 * reached.no);
  });
});
