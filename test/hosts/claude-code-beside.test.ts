import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { handed, work } from "./claude-code-conversation.ts";
import { compacting, type Starting, started } from "./claude-code-engine.ts";

async function due(how: Starting = {}) {
  const session = await started(how);
  const { rows, request } = handed(["look", ...work(10, 20)]);
  session.state.request = request;
  return { ...session, event: { trigger: "auto", messages: rows } };
}

describe("our mod in Claude Code, beside others", () => {
  test("a plugin beneath us that compacts by itself has the word, and nothing is said of ours", async () => {
    const { dispatch, event, said } = await due();
    const theirs = { messages: ["THEIRS"] };
    expect(await dispatch("session.compact", event, () => theirs)).toBe(theirs);
    expect(said).toEqual([]);
  });

  test("the user's PreCompact hooks are run, and may say no", async () => {
    const { dispatch, event, said } = await due();
    const own = compacting(dispatch, { block: "not now" });
    expect(await dispatch("session.compact", event, own)).toEqual({ skip: "not now" });
    expect(said).toEqual([]);
  });

  test("where they say nothing, Claude Code's own summarizer is not asked", async () => {
    const { dispatch, event } = await due();
    const own = compacting(dispatch);
    const { messages } = (await dispatch("session.compact", event, own)) as { messages: unknown[] };
    expect(own.state.asked).toBeUndefined();
    expect(JSON.stringify(messages)).toContain("# Earlier work, folded");
    // A compaction that is not ours to answer is not held back.
    expect(await dispatch("classic.PreCompact", { trigger: "manual" }, () => ({}))).toEqual({});
  });

  test("compaction left to Claude Code: its summarizer is told what to keep, and the page follows, once", async () => {
    const { dispatch, event, home } = await due({ env: { PALIMPSEST_COMPACTION: "host" } });
    const own = compacting(dispatch);
    expect(await dispatch("session.compact", { ...event, instructions: "the ports" }, own)).toEqual({
      messages: ["THE HOST'S SUMMARY"],
    });
    const told = String(own.state.asked?.["instructions"]);
    expect(told).toMatch(/^the ports\n\nEverything said so far is kept/);
    const file = join(home, "s1.jsonl");
    mkdirSync(dirname(file), { recursive: true });
    const line = { type: "user", uuid: "u1", message: { role: "user", content: "never touch port 48213" } };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    const begin = () =>
      dispatch("classic.SessionStart", { source: "compact" }, () => ({ additionalContext: ["another's"] }));
    const { additionalContext } = (await begin()) as { additionalContext: string[] };
    expect(additionalContext[0]).toBe("another's");
    expect(additionalContext[1]).toContain("never touch port 48213");
    expect(await begin()).toEqual({ additionalContext: ["another's"] });
  });

  test("after a compaction of ours no page is added, and a session that starts is left alone", async () => {
    const { dispatch, event } = await due();
    await dispatch("session.compact", event, compacting(dispatch));
    expect(await dispatch("classic.SessionStart", { source: "compact" }, () => ({}))).toEqual({});
  });
});
