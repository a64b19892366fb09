/** Peers from npm, run as themselves; skipped where `npm run arena:peers` was not run. */
import { expect, test } from "vitest";
import { opponentsNamed } from "../../arena/opponents/opponents.ts";
import { missingPeers, peerNames } from "../../arena/opponents/peers.ts";
import { SessionIndex } from "../../arena/probes/session-index.ts";
import type { Session } from "../../src/wire/wire.ts";
import { assistant, calls, gets, transcript, user } from "../say.ts";

const STEPS = 12;
const whole = transcript(
  user("Never touch the legacy folder."),
  ...Array.from({ length: STEPS }, (_, at) => [
    calls(`c${at}`, "Bash", { command: `count table${at}` }),
    gets(`c${at}`, `table ${at} holds ${7000 + at} rows of ledger entries\n`.repeat(40)),
  ]).flat(),
  assistant("All counted."),
);
const session: Session = {
  ...{ wire: "test", whole, seen: whole, compactions: [], asides: [], skipped: [], about: {} },
};

async function leftBy(name: string) {
  const [opponent] = opponentsNamed([name]);
  const cuts = [15, whole.messages.length - 1];
  return opponent?.run({ session, cuts, windowTokens: 4_000, index: new SessionIndex(), seed: "s" });
}

const isInstalled = missingPeers().length === 0;
const SKIPPED = isInstalled ? "installed" : "not installed: npm run arena:peers";

test.skipIf(!isInstalled)(
  `pruneMessages drops old calls and keeps the user's words (${SKIPPED})`,
  async () => {
    const left = await leftBy("npm:ai pruneMessages");
    expect(left?.stages).toHaveLength(2);
    expect(left?.shown.lines.some(({ text }) => text.includes("legacy folder"))).toBe(true);
    expect(left?.shown.linesWith("7000")).toHaveLength(0);
  },
);

test.skipIf(!isInstalled)(`LangChain clears all results but three (${SKIPPED})`, async () => {
  const left = await leftBy("npm:langchain edits");
  const kept = Array.from({ length: STEPS }, (_, at) => left?.shown.linesWith(`${7000 + at}`).length ?? 0);
  expect(kept.map((lines) => lines > 0)).toEqual([...Array(STEPS - 3).fill(false), true, true, true]);
  expect(left?.shown.lines.some(({ text }) => text === "[cleared]")).toBe(true);
});

test.skipIf(!isInstalled)(
  `deepagents summarizes, and its file has what it took away (${SKIPPED})`,
  async () => {
    const left = await leftBy("npm:deepagents");
    expect(
      left?.shown.lines.some(({ text }) => text.includes("/conversation_history/session_arena.md")),
    ).toBe(true);
    expect(left?.shown.linesWith("7000")).toHaveLength(0);
    expect(left?.isStored?.("7000 rows")).toBe(true);
  },
);

test.skipIf(isInstalled)("a peer that is not installed says how to install it", () => {
  expect(() => opponentsNamed([peerNames[0] ?? ""])).toThrow(/npm run arena:peers/);
});
