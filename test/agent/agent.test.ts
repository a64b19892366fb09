/** What the agent promises, each through `openAgent` and real HTTP to a model server that enforces the provider's rules. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { handoffPage } from "../../src/agent/index.ts";
import { extractive } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Call, ModelRequest, Reply } from "../../src/testing/index.ts";
import { serverFor } from "../testing/ask.ts";
import { agentOn, allText, folder, of } from "./agents.ts";

const call = (name: string, input: Call["input"]): Reply => ({ calls: [{ name, input: input ?? {} }] });
const bash = (command: string): Reply => call("bash", { command });
/** Some 3,000 tokens a step: a window of 32,000 is full after nine. */
const filling = (step: number): Reply => bash(`seq -f '${step}: row %g of a long output' 400`);
const fill = (steps: number): readonly Reply[] => Array.from({ length: steps }, (_, step) => filling(step));
const small = { windowTokens: 32_000, summarizer: extractive } as const;

describe("budgets", () => {
  const forever = () => bash("echo again");

  test.each([
    ["turns", { turns: 3 }, "the budget of 3 turns is used up (3)"],
    ["toolCalls", { toolCalls: 2 }, "the budget of 2 tool calls is used up (2)"],
    ["tokens", { tokens: 5_000 }, "the budget of 5,000 tokens is used up"],
    ["usd", { usd: 0.02 }, "the budget of 0.02 USD is used up"],
  ])("%s end a run that would go on, and it says which", async (budget, budgets, why) => {
    const server = await serverFor(forever);
    const { agent } = await agentOn(server, { budgets });
    const ending = await agent.run("Go on for ever.");
    expect(ending).toMatchObject({ kind: "budget", budget });
    expect(ending.kind === "budget" && ending.why).toContain(why);
    expect(server.violations).toEqual([]);
  });

  test("time ends a command that runs", async () => {
    const server = await serverFor([bash("sleep 30"), "never"]);
    const { agent, events } = await agentOn(server, { budgets: { minutes: 1 / 120 } });
    const ending = await agent.run("Wait.");
    expect(ending).toMatchObject({ kind: "budget", budget: "minutes" });
    expect(of(events, "result")[0]?.text).toContain("interrupted");
  });

  test("a call too many is not run, and is answered", async () => {
    const server = await serverFor([
      { calls: [1, 2, 3].map((n) => ({ name: "bash", input: { command: `touch ran-${n}` } })) },
    ]);
    const { agent, workspace, events } = await agentOn(server, { budgets: { toolCalls: 2 } });
    expect(await agent.run("Run three.")).toMatchObject({ kind: "budget", budget: "toolCalls" });
    expect([1, 2, 3].map((n) => existsSync(join(workspace, `ran-${n}`)))).toEqual([true, true, false]);
    expect(of(events, "result").map(({ isError }) => isError)).toEqual([false, false, true]);
  });

  test("the session goes on with a new budget", async () => {
    const server = await serverFor([bash("echo one"), bash("echo two"), bash("echo three"), "Done."]);
    const first = await agentOn(server, { budgets: { turns: 2 } });
    expect((await first.agent.run("Count.")).kind).toBe("budget");
    const { home, workspace } = first;
    const second = await agentOn(server, { id: first.agent.id, home, workspace, budgets: { turns: 5 } });
    expect(await second.agent.run()).toEqual({ kind: "done", text: "Done." });
    expect(allText(server.requests.at(-1) as ModelRequest)).toContain("one");
    expect(server.violations).toEqual([]);
  });

  test("the compression check comes before the abort check", async () => {
    const turnsUntilFold = async (turns: number) => {
      const server = await serverFor([...fill(30), "Done."], { windowTokens: 32_000 });
      const { agent, events } = await agentOn(server, { ...small, policy: "nucleic", budgets: { turns } });
      expect(await agent.run("Begin.")).toMatchObject({ kind: "budget", budget: "turns" });
      const kinds = events.map(({ type }) => type).filter((type) => type === "step" || type === "compacted");
      return { before: kinds.indexOf("compacted"), last: kinds.at(-1), requests: server.requests.length };
    };
    const { before } = await turnsUntilFold(20);
    expect(before).toBeGreaterThan(3);
    // A budget that ends exactly where the fold is due: it is still made, and no further request is.
    expect(await turnsUntilFold(before)).toEqual({ before, last: "compacted", requests: before });
  });

  test("a subagent spends from the same budget", async () => {
    const server = await serverFor(({ transcript }) =>
      JSON.stringify(transcript.system).includes("You work for another agent")
        ? bash("echo busy")
        : call("subagent", { task: "be busy" }),
    );
    const { agent } = await agentOn(server, { budgets: { turns: 5 } });
    expect(await agent.run("Delegate.")).toMatchObject({ kind: "budget", budget: "turns" });
    expect(agent.spending.spent.turns).toBe(5);
  });
});

describe("steering", () => {
  test("words sent while it works join the next user message, after the results, and roles stay right", async () => {
    const server = await serverFor([bash("echo one"), bash("echo two"), "Understood."]);
    const { agent } = await agentOn(server, {
      onEvent: (event) => {
        if (event.type === "result" && event.text === "one")
          void agent.steer("Use tabs.").then(() => agent.steer("And be brief."));
      },
    });
    expect((await agent.run("Write it.")).kind).toBe("done");
    expect(server.violations).toEqual([]);
    const after = server.requests.at(-1)?.transcript.messages ?? [];
    const steered = after.findLast(
      ({ role, parts }) => role === "user" && JSON.stringify(parts).includes("Use tabs."),
    );
    expect(steered?.parts.map((part) => (part.type === "text" ? part.text : part.type))).toEqual([
      "tool-result",
      "Use tabs.",
      "And be brief.",
      expect.stringContaining("recent-calls"),
    ]);
  });

  test("words sent during the last answer are answered too", async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await serverFor((_, turn) => {
      asked();
      return turn === 0 ? { text: "All done.", delayMs: 500 } : "Also that.";
    });
    const { agent } = await agentOn(server);
    const run = agent.run("Do it.");
    await isAsked;
    await agent.steer("And that.");
    expect(await run).toEqual({ kind: "done", text: "Also that." });
    expect(server.violations).toEqual([]);
  });

  test("an interrupted answer is kept as far as it was heard", async () => {
    const server = await serverFor([
      { text: "one two three ".repeat(400), chunkDelayMs: 30 },
      "Stopped there.",
    ]);
    let heard = "";
    const { agent } = await agentOn(server, {
      onEvent: (event) => {
        if (event.type !== "text" || heard.length > 100) return;
        heard += event.text;
        if (heard.length > 100) agent.interrupt();
      },
    });
    expect(await agent.run("Count.")).toEqual({ kind: "interrupted" });
    const kept = heard.trimEnd();
    expect(await agent.run("Stop.")).toEqual({ kind: "done", text: "Stopped there." });
    expect(allText(server.requests.at(-1) as ModelRequest)).toContain(kept.slice(0, 100));
    expect(allText(server.requests.at(-1) as ModelRequest).length).toBeLessThan(5_000);
    expect(server.violations).toEqual([]);
  });
});

describe("subagents", () => {
  test("have their own window, session and transcript; only the answer comes back", async () => {
    const work = [...fill(15), "All is done, in line 2."];
    const server = await serverFor(
      ({ transcript }) => {
        if (JSON.stringify(transcript.system).includes("You work for another agent"))
          return work.shift() ?? "";
        const isAnswered = JSON.stringify(transcript.messages.at(-1)).includes("All is done");
        return isAnswered ? "My helper is done." : call("subagent", { task: "Run the long commands." });
      },
      { windowTokens: 32_000 },
    );
    const { agent, events, home } = await agentOn(server, small);
    expect(await agent.run("Have them run.")).toEqual({ kind: "done", text: "My helper is done." });
    expect(server.violations).toEqual([]);
    const helper = of(events, "subagent")[0];
    const inner = of(events, "subagent").map(({ event }) => event);
    expect(of(inner, "compacted").length).toBeGreaterThan(0);
    expect(of(events, "compacted")).toEqual([]);
    // Its session stands under the parent's, and its transcript is on disk.
    const row = await agent.options.store.session(helper?.id ?? "");
    expect(row?.parent).toBe(agent.id);
    expect(readFileSync(join(home, "agent", `${helper?.id}.jsonl`), "utf8")).toContain(
      "14: row 1 of a long output",
    );
    expect(allText(server.requests.at(-1) as ModelRequest)).not.toContain("row 1 of a long output");
    // What left the helper's context can be read by the parent.
    const { rows } = await agent.options.store.list(helper?.id ?? "", { limit: 1 });
    expect(await agent.session.tools.run("read_ref", { ref: rows[0]?.ref ?? "" })).toMatchObject({
      isError: false,
    });
  });
});

describe("the prompt", () => {
  test("clock, todo list and memory change without touching what is cached", async () => {
    let now = Date.UTC(2026, 10, 18, 12);
    const server = await serverFor([
      call("todo", { items: [{ text: "write the parser", status: "doing" }] }),
      "One.",
      "Two.",
    ]);
    const { agent, workspace } = await agentOn(server, { now: () => now, budgets: { minutes: 600 } });
    await agent.run("First.");
    now += 3_600_000;
    mkdirSync(join(workspace, ".palimpsest/memory"), { recursive: true });
    writeFileSync(join(workspace, ".palimpsest/memory/STATUS.md"), "the parser is half done");
    await agent.run("Second.");
    const [first, , last] = server.requests;
    expect(last?.transcript.system).toEqual(first?.transcript.system);
    expect(JSON.stringify(first?.transcript.system)).not.toContain("2026");
    // Everything that was sent before is sent again, to the byte, and read from the cache.
    const messages = (request: ModelRequest | undefined) => withoutMarks(request?.body);
    expect(JSON.stringify(messages(last))).toContain(JSON.stringify(messages(first)).slice(1, -1));
    expect(last?.usage?.cacheReadTokens).toBeGreaterThan(first?.promptTokens ?? 0);
    const newest = JSON.stringify(last?.transcript.messages.at(-1));
    expect(newest).toContain("2026-11-18T13:00Z");
    expect(newest).toContain("[~] write the parser");
    expect(newest).toContain("the parser is half done");
  });

  test("contributors stand by phase, then by priority", async () => {
    const server = await serverFor(["Hello."]);
    const section = (name: string, phase: "constraint" | "tools" | "task" | "memory", priority: number) => ({
      name,
      place: "system" as const,
      contribute: async () => ({ phase, priority, sticky: true, text: name }),
    });
    const contributors = [
      section("m", "memory", 1),
      section("low", "constraint", 1),
      section("t", "task", 1),
      section("high", "constraint", 9),
      section("tools", "tools", 1),
    ];
    const { agent } = await agentOn(server, { contributors });
    await agent.run("Hi.");
    expect(JSON.stringify(server.requests[0]?.transcript.system)).toContain(
      "high\\n\\nlow\\n\\ntools\\n\\nt\\n\\nm",
    );
  });

  test("what is sticky is said again after a fold", async () => {
    const list = call("todo", { items: [{ text: "keep this in view", status: "open" }] });
    const server = await serverFor([list, ...fill(15), "Done."], { windowTokens: 32_000 });
    const { agent, events } = await agentOn(server, { ...small, policy: "nucleic" });
    expect((await agent.run("Go.")).kind).toBe("done");
    expect(of(events, "compacted").length).toBeGreaterThan(0);
    const last = server.requests.at(-1)?.transcript.messages ?? [];
    const notes = last
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "text" && part.text.startsWith("<context"));
    expect(JSON.stringify(notes.at(-1))).toContain("[ ] keep this in view");
    expect(server.violations).toEqual([]);
  });
});

describe("tools", () => {
  test("files are written inside the workspace only, links included", async () => {
    const outside = folder();
    const workspace = folder({ "a.txt": "alpha beta beta" });
    symlinkSync(outside, join(workspace, "link"));
    symlinkSync(join(outside, "not-yet.txt"), join(workspace, "dangling.txt"));
    const server = await serverFor([
      {
        calls: [
          { name: "write_file", input: { path: "../x.txt", content: "x" } },
          { name: "write_file", input: { path: "link/x.txt", content: "x" } },
          { name: "write_file", input: { path: "dangling.txt", content: "x" } },
          { name: "write_file", input: { path: join(outside, "x.txt"), content: "x" } },
          { name: "write_file", input: { path: "new/deep/x.txt", content: "inside" } },
          { name: "edit_file", input: { path: "a.txt", old_string: "beta", new_string: "gamma" } },
          { name: "edit_file", input: { path: "a.txt", old_string: "alpha", new_string: "$&1" } },
        ],
      },
      "Done.",
    ]);
    const { agent, events } = await agentOn(server, { workspace });
    await agent.run("Write.");
    expect(of(events, "result").map(({ isError }) => isError)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(existsSync(join(outside, "x.txt")) || existsSync(join(outside, "not-yet.txt"))).toBe(false);
    expect(readFileSync(join(workspace, "new/deep/x.txt"), "utf8")).toBe("inside");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("$&1 beta beta");
  });

  test("what a person does not allow is not done, and the model hears why", async () => {
    const server = await serverFor([bash("touch ran"), "I will not."]);
    const { agent, workspace, events } = await agentOn(server, {
      permit: async ({ effect }) => ({ kind: "no", reason: `They say: no ${effect} today` }),
    });
    await agent.run("Run it.");
    expect(existsSync(join(workspace, "ran"))).toBe(false);
    expect(of(events, "result")[0]?.text).toContain("no run today");
  });

  test("a stub is never written into a file", async () => {
    const stub = "⟦ref_0123456789ab File: a.ts; 900 tokens; folded. Use read_ref.⟧";
    const server = await serverFor([call("write_file", { path: "a.ts", content: stub }), "I read it first."]);
    const { agent, workspace, events } = await agentOn(server);
    await agent.run("Write it.");
    expect(of(events, "result")[0]).toMatchObject({ isError: true, text: expect.stringContaining("stub") });
    expect(existsSync(join(workspace, "a.ts"))).toBe(false);
  });

  test("a command has a folder, a time limit, and an output that is cut in the middle and kept whole", async () => {
    const server = await serverFor([
      {
        calls: [
          { name: "bash", input: { command: "pwd", cwd: "sub" } },
          { name: "bash", input: { command: "sleep 20 & sleep 20", timeout_seconds: 1 } },
          { name: "bash", input: { command: "seq 1 200000" } },
          { name: "bash", input: { command: "exit 3" } },
        ],
      },
      "Done.",
    ]);
    const { agent, events } = await agentOn(server, {
      workspace: folder({ "sub/x": "" }),
      windowTokens: 32_000,
    });
    await agent.run("Run.");
    const [where, timed, long, failed] = of(events, "result");
    expect(where?.text).toMatch(/\/sub$/);
    expect(timed).toMatchObject({ isError: true, text: expect.stringContaining("ended after 1 seconds") });
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining("exit code 3") });
    expect(long?.text.length).toBeLessThan(30_000);
    expect(long?.text).toMatch(/^1\n2\n[\s\S]*200000$/);
    const path = /all of it is in (\S+)/.exec(long?.text ?? "")?.[1] ?? "";
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(200_000);
  });

  test("a call that makes no sense is answered, and the run goes on", async () => {
    const server = await serverFor([
      {
        calls: [
          { name: "fly", input: {} },
          { name: "read_file", input: {} },
          { name: "read_file", input: { path: "no" } },
        ],
      },
      "I see.",
    ]);
    const { agent, events } = await agentOn(server);
    expect((await agent.run("Try.")).kind).toBe("done");
    expect(of(events, "result").map(({ text }) => text)).toEqual([
      expect.stringContaining('There is no tool "fly"'),
      expect.stringContaining('"path" must be a text'),
      "There is no file no.",
    ]);
    expect(server.violations).toEqual([]);
  });
});

describe("when it does not fit", () => {
  test("an overflow is compacted away and the request sent again", async () => {
    const work = [...fill(8), "Done."];
    let isRefused = false;
    const server = await serverFor(({ promptTokens }) => {
      const isDue = promptTokens > 15_000 && !isRefused;
      isRefused ||= isDue;
      return isDue ? { fault: "overflow" } : (work.shift() ?? "");
    });
    const { agent, events } = await agentOn(server);
    expect(await agent.run("Go.")).toMatchObject({ kind: "done" });
    expect(isRefused).toBe(true);
    expect(of(events, "compacted").map(({ trigger }) => trigger)).toContain("overflow");
    expect(server.violations).toEqual([]);
  });

  test("/compact keeps what the focus names in view; /undo takes it back", async () => {
    const server = await serverFor([...fill(8), "Done."]);
    const { agent } = await agentOn(server, { policy: "ion", summarizer: extractive });
    await agent.run("Add the lines.");
    const before = JSON.stringify(agent.context.messages).length;
    const outcome = await agent.compact("the rows of step 3");
    expect(outcome?.kind === "compacted" && outcome.compaction).toMatchObject({
      trigger: "manual",
      focus: "the rows of step 3",
    });
    expect(JSON.stringify(agent.context.messages).length).toBeLessThan(before / 2);
    expect(await agent.undo()).toBe(true);
    expect(JSON.stringify(agent.context.messages).length).toBeGreaterThan(before / 2);
  });
});

describe("a new thread", () => {
  test("begins with a page of the old one, whose originals it can read", async () => {
    const server = await serverFor([...fill(8), "Done.", "I go on."]);
    const home = folder();
    const store = await openSqliteStore({ path: join(home, "store.db") });
    const shared = { home, store, workspace: folder(), summarizer: extractive };
    const before = await agentOn(server, shared);
    await before.agent.run("Add the lines. Never delete a file.");
    const opening = await handoffPage(before.agent, "now document them");
    const after = await agentOn(server, { ...shared, parent: before.agent.id, opening });
    expect(await after.agent.run("Now document them.")).toEqual({ kind: "done", text: "I go on." });
    const last = server.requests.at(-1) as ModelRequest;
    expect(last.transcript.messages).toHaveLength(1);
    expect(allText(last)).toContain("Never delete a file.");
    expect(last.promptTokens).toBeLessThan((server.requests.at(-2)?.promptTokens ?? 0) / 2);
    const ref = /ref_[0-9a-z]{12}/.exec(opening)?.[0] ?? "";
    expect(await after.agent.session.tools.run("read_ref", { ref })).toMatchObject({ isError: false });
    // The old one is as it was.
    expect(await before.agent.session.refs({})).toMatchObject({ total: expect.any(Number) });
    expect(await before.agent.undo()).toBe(false);
    await store.close();
  });
});

function withoutMarks(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify((body as { messages: unknown }).messages, (key, value) =>
      key === "cache_control" ? undefined : value,
    ),
  );
}
