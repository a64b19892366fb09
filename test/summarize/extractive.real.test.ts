/** The extractor on real sessions of every wire: it ends, says the same twice, stays within its room, and proves itself. */
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/file.ts";
import { estimateTokens } from "../../src/measure/estimate.ts";
import type { Summary } from "../../src/plan/summary.ts";
import { extractive } from "../../src/summarize/extractive.ts";
import { parseSummary } from "../../src/summarize/parse.ts";
import { renderSummary } from "../../src/summarize/render.ts";
import { summarize } from "../../src/summarize/summarize.ts";
import type { Message } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { toolUse } from "../../src/transcript/tool-use.ts";
import { readSession } from "../../src/wire/wires.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { inputOf, linesOf, stretchesOf } from "./inputs.ts";

const PIECES = 5;

describe.skipIf(realSessions.length === 0)(
  `extractive on real sessions ${realSessions.length ? "" : SKIPPED}`,
  () => {
    test.each(realSessions.map(({ name, path }) => [name, path] as const))("%s", async (_, path) => {
      const { messages } = readSession(openFile(path)).whole;
      const written = await summarize(inputOf(messages), extractive);
      const text = renderSummary(written.summary);

      expect(written.notes.filter((note) => note.includes("struck"))).toEqual([]);
      expect(renderSummary((await summarize(inputOf(messages), extractive)).summary)).toBe(text);
      expect(renderSummary(parseSummary(text))).toBe(text);
      expect(estimateTokens(text)).toBeLessThanOrEqual(6000);
      provesItself(written.summary, messages);

      const cascaded = await cascade(messages);
      expect(estimateTokens(renderSummary(cascaded))).toBeLessThanOrEqual(9000);
      provesItself(cascaded, messages);
    });
  },
);

function provesItself(summary: Summary, messages: readonly Message[]): void {
  const known = new Set(messages.flatMap(({ parts }) => parts.map(refOf)));
  for (const { refs, text } of linesOf(summary)) {
    expect(refs.length, text).toBeGreaterThan(0);
    expect(
      refs.every((ref) => known.has(ref)),
      text,
    ).toBe(true);
  }
  const listed = (summary.sections["Files Modified"] ?? []).map(({ text }) => text).join("\n");
  for (const file of changedFiles(messages)) expect(listed).toContain(file);
}

function changedFiles(messages: readonly Message[]): readonly string[] {
  return pairUp({ messages }).pairs.flatMap(({ call, result }) => {
    if (!result || result.part.isError) return [];
    return toolUse(call.part).files.flatMap(({ path, does }) =>
      does === "read" || path.trim() === "" ? [] : [path],
    );
  });
}

async function cascade(messages: readonly Message[]): Promise<Summary> {
  let previous: Summary | undefined;
  for (const stretch of stretchesOf(messages, PIECES)) {
    const input = inputOf(stretch, previous ? { previous } : {});
    ({ summary: previous } = await summarize(input, extractive));
  }
  return previous ?? { sections: {} };
}
