/** The strategies of today's harnesses: what `facts/harnesses.md` says of each, on conversations compacted for real. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSpool } from "../../../src/store/spool.ts";
import { extractive } from "../../../src/summarize/extractive.ts";
import type { SummarizeInput, Summarizer } from "../../../src/summarize/summarize.ts";
import type { Message } from "../../../src/transcript/message.ts";
import { openWorkspace } from "../../../src/workspace.ts";
import { assistant, system, transcript, user } from "../../say.ts";
import { act, step, steps, text, textOf, timed } from "./acting.ts";

const scratch = mkdtempSync(join(tmpdir(), "palimpsest-peers-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const RULES = system("You are the agent.");
const turns = (count: number, tokensEach = 300): readonly Message[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`Task ${turn}: look at part ${turn}.`),
    ...steps(3, tokensEach, turn * 10),
    assistant(`Part ${turn} is fine.`),
  ]).flat();
const long = transcript(RULES, ...turns(8), user("Now the last one."));
const ASKED = { trigger: "manual", windowTokens: 200_000 } as const;

function listening(asked: SummarizeInput[]): Summarizer {
  return {
    name: "listening",
    write: (input) => {
      asked.push(input);
      return extractive.write(input);
    },
  };
}

describe("pi", () => {
  test('§4.3: "walk back until ≥ keepRecentTokens (20,000) … never a tool result"; "cumulative read/modified lists"', async () => {
    const given = transcript(user("Go."), ...steps(60, 1_000), assistant("Done."));
    const { said, outcome } = await act(given, "pi", ASKED);
    const page = said.findIndex((line) => line.includes("## Goal"));
    const kept = outcome.transcript.messages.slice(page + 1);
    const tokens = kept.map(textOf).join("").length / 3.5;
    expect(tokens).toBeGreaterThan(14_000);
    expect(tokens).toBeLessThan(24_000);
    expect(kept[0]?.role).toBe("assistant");
    expect(said[page]).toMatch(/<read-files>\n[\s\S]*src\/file1\.ts[\s\S]*<\/read-files>/);
  });
});

describe("qwen-restore", () => {
  test('§4.12: "Idle: ≥60 min since last completion → clear all older", "keep newest 5", "errors never cleared"', async () => {
    const given = transcript(
      ...timed([user("Go."), ...step("bad", text(200), { isError: true }), ...steps(9, 200)], 70),
    );
    const { said } = await act(given, "qwen-restore", { windowTokens: 200_000 });
    const cleared = said.flatMap((line, index) =>
      line.endsWith("[Old tool result content cleared]") ? [(index - 2) / 2] : [],
    );
    expect(cleared).toEqual([1, 2, 3, 4]);
  });

  test('§4.12: "entire history, none kept"; user(summary), model ack, "up to 5 most recently touched files (≤5k tokens each embed, else path …); must lie inside workspace"', async () => {
    const root = join(scratch, "work");
    mkdirSync(join(root, "src"), { recursive: true });
    for (const id of [70, 71, 72])
      writeFileSync(join(root, `src/file${id}.ts`), `export const now = ${id};\n`);
    writeFileSync(join(root, "src/file72.ts"), text(9_000));
    const { said } = await act(long, "qwen-restore", { ...ASKED, workspace: openWorkspace(root) });
    expect(said.map((line) => line.split(":", 1)[0])).toEqual(["system", "user", "assistant", "user"]);
    expect(said[1]).toMatch(/<state_snapshot>[\s\S]*<overall_goal>[\s\S]*<\/state_snapshot>/);
    expect(said[1]).toContain("export const now = 71;");
    expect(said[1]).toMatch(/file72\.ts">\n\(\d+ tokens; read it again/);
  });
});

describe("codex-local and kimi-handoff", () => {
  test('§4.6: "newest user messages within 20,000 tokens (oldest selected truncated) …, then summary as a user message"; "Assistant text, calls, reasoning, images dropped"; "the summary stays last"', async () => {
    const given = transcript(user(`OLDEST ${text(9_000)}`), ...turns(4), user(text(15_000)), ...turns(2));
    const { said } = await act(given, "codex-local", ASKED);
    expect(said.every((line) => line.startsWith("user: "))).toBe(true);
    expect(said.at(-1)).toMatch(/^user: Another model worked on this before you/);
    const [oldest = ""] = said;
    expect(oldest).toContain("OLDEST");
    expect(oldest.length).toBeLessThan(text(9_000).length / 2);
    expect(said).toContain("user: Task 0: look at part 0.");
    expect((await act(long, "codex-local", ASKED)).said.slice(-2)[0]).toBe("user: Now the last one.");
  });

  test('§3: "tool outputs capped at 10k tokens on record"', async () => {
    const given = transcript(user("Run."), ...step(1, text(30_000, "log"), { name: "Bash" }));
    const { said } = await act(given, "codex-local", { windowTokens: 200_000, trigger: "arrival" });
    expect(said[2]).toContain("log 0 holds");
    expect(said[2]).toContain("log 2999 holds");
    expect(said[2]?.length ?? 0).toBeLessThan(text(12_000).length);
  });

  test('§4.13: "if >20,000 tokens keep first 2,000 + last 18,000"; "summary last"', async () => {
    const said = (
      await act(
        transcript(
          user(`FIRST ${text(1_500)}`),
          ...turns(2),
          user(`MIDDLE ${text(9_000)}`),
          ...turns(2),
          user(`LATE ${text(16_000)}`),
          ...turns(2),
        ),
        "kimi-handoff",
        ASKED,
      )
    ).said;
    expect(said[0]).toContain("FIRST row 0");
    expect(said.some((line) => line.includes("LATE row 0"))).toBe(true);
    expect(said.join("\n").length).toBeLessThan(text(24_000).length);
    expect(said.at(-1)).toContain("## The Plan from Here");
  });
});

test('cline-basic, §4.7: "all typed prompts mandatory"; "for older turns their final text answer"; "a notice listing reads, edits, commands"', async () => {
  const { said, all } = await act(long, "cline-basic", ASKED);
  for (const turn of [0, 1, 2, 3, 4, 5, 6, 7]) {
    expect(said).toContain(`user: Task ${turn}: look at part ${turn}.`);
    expect(said).toContain(`assistant: Part ${turn} is fine.`);
  }
  expect(all).toContain("Some work was left out here.");
  expect(all).toMatch(/## Files Read\n- `src\/file/);
  expect(all).not.toContain("holds");
});

test('deepagents-offload, §3: "old write/edit args >2,000 chars → 20 chars"; "/conversation_history/{thread}.md" in the message', async () => {
  const write = step("w", "written", { name: "Write", input: { file_path: "a.ts", content: text(2_000) } });
  const spool = openSpool(join(scratch, "spool"));
  const given = transcript(user("Go."), ...write, ...turns(6, 2_000));
  const { all, outcome } = await act(given, "deepagents-offload", { windowTokens: 30_000, spool });
  if (outcome.kind !== "compacted") throw new Error(outcome.detail);
  const [, path = ""] = /The conversation up to here was saved to (\S+);/.exec(all) ?? [];
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(given.messages.length);
  const large = step("w", "written", { name: "Write", input: { file_path: "a.ts", content: text(12_000) } });
  const late = transcript(user("Go."), ...steps(2, 300, 90), ...large, ...steps(12, 20));
  const shown = (await act(late, "deepagents-offload", { windowTokens: 12_000 })).said;
  const cut = shown.find((line) => line.includes("Write(")) ?? "";
  expect(cut).toContain('"file_path":"a.ts"');
  expect(cut).toContain(`${text(2_000).slice(0, 20)}… (cut; it stands in the file)`);
});

describe("gemini-classic", () => {
  test('§4.4: masking: "protect 50,000, act at ≥30,000 prunable"', async () => {
    const given = transcript(user("Go."), ...steps(20, 5_000));
    const { said } = await act(given, "gemini-classic", { windowTokens: 1_000_000 });
    const masked = said.filter((line) => line.includes("⟦"));
    expect(masked.length).toBeGreaterThan(5);
    expect(masked.length).toBeLessThan(13);
    const few = transcript(user("Go."), ...steps(10, 5_000));
    expect((await act(few, "gemini-classic", { windowTokens: 1_000_000 })).outcome.kind).toBe("unchanged");
  });

  test('§4.4: "split at the first non-tool user message after 70 % of characters"; new history = "user(summary), model(ack), kept part"; "second call asks the model to critique and re-emit"', async () => {
    const asked: SummarizeInput[] = [];
    const { said } = await act(long, "gemini-classic", { ...ASKED, summarizer: listening(asked) });
    expect(said[1]).toContain("<state_snapshot>");
    expect(said[2]).toBe("assistant: Understood; I have the state of the work.");
    expect(said[3]).toMatch(/^user: Task 6/);
    expect(asked.map(({ draft }) => draft !== undefined)).toEqual([false, true]);
  });
});

test('mastra-om, §4.16: "append-only prefix"; "Observer at 30,000 unobserved tokens"; "activation leaves 20 % raw"', async () => {
  const first = transcript(RULES, user("Go."), ...steps(20, 2_000), user("On."));
  const { said, store } = await act(first, "mastra-om", { windowTokens: 200_000 });
  const page = said.findIndex((line) => line.includes("## Observations"));
  expect(page).toBeGreaterThan(0);
  expect(said.slice(page + 1).join("").length / 3.5).toBeLessThan(7_000);
  const more = transcript(...first.messages, ...steps(20, 2_000, 50), user("And on."));
  const later = await act(more, "mastra-om", { windowTokens: 200_000, store });
  expect(later.outcome.kind).toBe("compacted");
  const appended = later.said.find((line) => line.includes("## Observations")) ?? "";
  expect(appended.startsWith(said[page] ?? "-")).toBe(true);
  expect(appended).toMatch(/\n# 2026-11-18\n/);
});

test('anthropic-clear-tools, §4.18: "trigger input_tokens (100k)"; "keep 3"; no summary', async () => {
  const given = transcript(user("Go."), ...steps(12, 10_000));
  const { said, outcome } = await act(given, "anthropic-clear-tools", { windowTokens: 1_000_000 });
  expect(said.filter((line) => line === "user: [cleared]")).toHaveLength(9);
  expect(outcome.transcript.messages).toHaveLength(given.messages.length);
  const under = transcript(user("Go."), ...steps(8, 10_000));
  expect((await act(under, "anthropic-clear-tools", { windowTokens: 1_000_000 })).outcome.kind).toBe(
    "unchanged",
  );
});

test('langchain-summ, §4.14: "keep 20 messages"; "only the last 4,000 tokens of the old part are summarized"', async () => {
  const asked: SummarizeInput[] = [];
  const given = transcript(user("FIRST words"), ...steps(40, 500), assistant("Done."));
  const { outcome } = await act(given, "langchain-summ", { ...ASKED, summarizer: listening(asked) });
  expect(outcome.transcript.messages.length).toBeLessThanOrEqual(22);
  const shown = asked[0]?.messages.map(textOf).join("\n") ?? "";
  expect(shown.length / 4).toBeLessThan(4_200);
  expect(shown).not.toContain("FIRST words");
});

test('roo-fresh-start, §4.8: "single user message = summary + … folded signatures of files read"; nine sections', async () => {
  const root = join(scratch, "roo");
  mkdirSync(join(root, "src"), { recursive: true });
  const body = `export function parse(text: string): Tree {\n${"  advance(text);\n".repeat(400)}}\n`;
  writeFileSync(join(root, "src/file70.ts"), body);
  const { said } = await act(transcript(...long.messages.slice(0, -1)), "roo-fresh-start", {
    ...ASKED,
    workspace: openWorkspace(root),
  });
  expect(said).toHaveLength(2);
  expect(said[1]).toContain("## Primary Request and Intent");
  expect(said[1]).toContain("export function parse(text: string): Tree");
  expect(said[1]?.match(/advance/g)?.length ?? 0).toBeLessThan(60);
});

test('openhands-rolling, §4.9: "Default agent: 80 events, first 4"; "Target half of the violated limit"; "Summary inserted at offset k"', async () => {
  const given = transcript(user("Go."), ...steps(45, 50));
  const { said, outcome } = await act(given, "openhands-rolling", { windowTokens: 200_000 });
  expect(outcome.kind).toBe("compacted");
  const page = said.findIndex((line) => line.includes("## USER_CONTEXT"));
  expect(page).toBeGreaterThanOrEqual(4);
  expect(page).toBeLessThanOrEqual(5);
  expect(outcome.transcript.messages.slice(0, 4)).toEqual(given.messages.slice(0, 4));
  expect(said.length - page - 1).toBeGreaterThanOrEqual(44);
  const few = transcript(user("Go."), ...steps(39, 50));
  expect((await act(few, "openhands-rolling", { windowTokens: 200_000 })).outcome.kind).toBe("unchanged");
});

test('opencode-v2, §4.2: "Keep 8,000 tokens of the newest messages as text"; "one user conversation checkpoint"; "nothing structural is kept"', async () => {
  const given = transcript(user("Go."), ...steps(60, 1_000), assistant("Done."));
  const { said } = await act(given, "opencode-v2", ASKED);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^user: A checkpoint of this conversation: history, not instructions\./);
  const [, recent = ""] = said[0]?.split("## The newest messages, as text") ?? [];
  expect(recent.length / 4).toBeGreaterThan(4_000);
  expect(recent.length / 4).toBeLessThan(8_500);
  expect(recent).toContain("Done.");
});
