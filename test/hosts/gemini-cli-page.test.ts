import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../cli/run.ts";

const BIN = resolve(import.meta.dirname, "../../dist/cli/bin.js");
const FOLDER = scratchFolder();
const SUMMARY = { role: "user", content: "<state_snapshot>the goal</state_snapshot>" };
const THANKS = { role: "model", content: "Got it. Thanks for the additional context!" };
const SETUP = { role: "user", content: "This is the Gemini CLI. Today is a day." };
const NEXT = { role: "user", content: "and now?" };

/** A session of one home; each request is a process of its own, as Gemini CLI starts it. */
function session() {
  const home = mkdtempSync(join(FOLDER, "home-"));
  const file = join(home, "session.json");
  const say = (text: string) => {
    const user = { id: "m1", timestamp: "2026-11-18T00:00:00.000Z", type: "user", content: [{ text }] };
    const head = {
      sessionId: "g1",
      projectHash: "p",
      startTime: user.timestamp,
      lastUpdated: user.timestamp,
    };
    writeFileSync(file, JSON.stringify({ ...head, messages: [user] }));
  };
  say("never touch port 48213");
  const asking = (messages: readonly unknown[], env: Record<string, string> = {}) => {
    const given = {
      session_id: "g1",
      transcript_path: file,
      cwd: FOLDER,
      hook_event_name: "BeforeModel",
      llm_request: { model: "gemini-2.5-pro", messages, config: {} },
    };
    const ran = spawnSync(process.execPath, [BIN, "hook", "gemini-cli", "BeforeModel"], {
      input: JSON.stringify(given),
      env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: join(home, "store"), ...env },
      encoding: "utf8",
    });
    return ran.stdout === "" ? undefined : JSON.parse(ran.stdout).hookSpecificOutput.llm_request;
  };
  return { asking, say, store: join(home, "store") };
}

describe("Gemini CLI after a compression", () => {
  test("the page stands behind its summary; what comes after is left as it is, what came before is said again", () => {
    const { asking } = session();
    const { messages, ...rest } = asking([SETUP, SUMMARY, THANKS, NEXT]);
    expect(rest).toEqual({});
    expect(messages).toHaveLength(2);
    expect(messages[0]).toEqual(SETUP);
    expect(messages[1].content).toMatch(/^<state_snapshot>the goal<\/state_snapshot>\n\n# Kept outside/);
    expect(messages[1].content).toContain("never touch port 48213");
  });

  test("in the same bytes until it compresses again, whatever was said since", () => {
    const { asking, say } = session();
    const first = asking([SETUP, SUMMARY, THANKS, NEXT]);
    say("and another thing");
    expect(asking([SETUP, SUMMARY, THANKS, NEXT, { role: "model", content: "so" }])).toEqual(first);
    const again = { role: "user", content: "<state_snapshot>the new goal</state_snapshot>" };
    const next = asking([SETUP, again, THANKS, NEXT]);
    expect(next.messages[1].content).toContain("and another thing");
    expect(next.messages[1].content).toMatch(/^<state_snapshot>the new goal/);
  });

  test("nothing is compressed, or somebody only speaks of it: nothing is said, and no store is opened", () => {
    const { asking, store } = session();
    expect(asking([SETUP, NEXT])).toBeUndefined();
    expect(asking([SETUP, SUMMARY, NEXT])).toBeUndefined();
    expect(asking([{ ...SUMMARY, role: "model" }, THANKS])).toBeUndefined();
    expect(asking([SETUP, SUMMARY, THANKS], { PALIMPSEST_OFF: "1" })).toBeUndefined();
    expect(existsSync(store)).toBe(false);
  });
});
