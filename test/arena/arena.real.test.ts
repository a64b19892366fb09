/** The gates that hold on real sessions, on two of them; `palimpsest arena` measures all. */
import { expect, test } from "vitest";
import { reportOf, runArena } from "../../arena/index.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";

const [opencode] = realSessions.filter(({ wire }) => wire === "opencode");
const [gemini] = realSessions.filter(({ wire }) => wire === "gemini-cli");

test.skipIf(!opencode || !gemini)(
  `nothing is lost, invented or stale, and the user's words stay (${SKIPPED})`,
  async () => {
    const sessions = [opencode?.path, gemini?.path].join(",");
    const order = { sessions, cascades: [1, 3], budgets: [], workers: 1, opponents: ["palimpsest"] };
    const { settings } = reportOf(await runArena(order));
    expect(settings.length).toBe(2);
    for (const { rows } of settings)
      for (const { measures } of rows) {
        expect(measures["allLost"]?.mean).toBe(0);
        expect(measures["absentSeen"]?.mean).toBe(0);
        expect(measures["updateWrong"]?.mean ?? 0).toBe(0);
        expect(measures["userVisible"]?.mean).toBe(1);
      }
  },
);
