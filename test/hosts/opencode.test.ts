/** The plugin as OpenCode loads it, with its real companion and store; OpenCode itself is driven in `conformance/`. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Hooks, OpenCode } from "../../src/hosts/opencode/opencode.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type JsonObject, list, object } from "../../src/transcript/json.ts";
import { scratchFolder } from "../cli/run.ts";

const FOLDER = realpathSync(scratchFolder());
const PLUGIN = resolve(import.meta.dirname, "../../dist/hosts/opencode/plugin.js");
let count = 0;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

type Start = (host: OpenCode, options?: JsonObject) => Promise<Hooks>;

/** A module of its own each time, as a restart of OpenCode would have it. */
async function plugin(home: string, options: JsonObject = { node: process.execPath }): Promise<Hooks> {
  vi.stubEnv("PALIMPSEST_HOME", home);
  count += 1;
  const { Palimpsest } = (await import(`${PLUGIN}?${count}`)) as { Palimpsest: Start };
  return Palimpsest(opencode, options);
}

const models = { m: { limit: { context: 40_000, output: 4_000 } } };
const opencode: OpenCode = {
  directory: FOLDER,
  client: {
    session: { messages: async () => ({ data: conversation(4) }) },
    config: { providers: async () => ({ data: { providers: [{ id: "p", models }] } }) },
    tui: { showToast: async () => undefined },
  },
};

function home(): string {
  count += 1;
  return join(FOLDER, `home-${count}`);
}

const model = { providerID: "p", modelID: "m" };
const user = (id: string, text: string): JsonObject => ({
  info: { id, sessionID: "ses_1", role: "user", time: { created: 1 }, model },
  parts: [{ id: `prt_${id}`, type: "text", text }],
});
const OUTPUT = (index: number) =>
  Array.from({ length: 150 }, (_, line) => `step ${index} line ${line} is ${line * index * 7919}`).join("\n");
const step = (index: number): JsonObject => ({
  info: {
    id: `msg_${index}`,
    sessionID: "ses_1",
    role: "assistant",
    time: { created: 2 },
    finish: "tool-calls",
    ...model,
  },
  parts: [
    { id: `prt_${index}_0`, type: "step-start" },
    {
      id: `prt_${index}_1`,
      type: "tool",
      tool: "bash",
      callID: `c${index}`,
      state: {
        status: "completed",
        input: { command: `cat ${index}.txt` },
        output: OUTPUT(index),
        time: { start: 1, end: 2 },
      },
    },
  ],
});
/** Of 4 steps a tenth of the window, of 20 more than all of it. */
const conversation = (steps: number): JsonObject[] => [
  user("msg_u", "read them; never touch the port 48213"),
  ...Array.from({ length: steps }, (_, index) => step(index)),
];

async function shown(hooks: Hooks, steps: number): Promise<JsonObject[]> {
  const messages = conversation(steps);
  await hooks["experimental.chat.messages.transform"]?.({}, { messages });
  return messages;
}

const textIn = (messages: readonly JsonObject[]) => JSON.stringify(messages);

test("a conversation larger than the window is shown smaller, the user's words in it, and the same after a restart", async () => {
  const folder = home();
  const first = await shown(await plugin(folder), 20);
  expect(textIn(first).length).toBeLessThan(textIn(conversation(20)).length / 2);
  expect(textIn(first)).toContain("never touch the port 48213");
  const again = await shown(await plugin(folder), 20);
  expect(again).toEqual(first);
  // What came in since stands behind it, and nothing before it changed.
  const longer = await shown(await plugin(folder), 21);
  expect(longer.slice(0, first.length)).toEqual(first);
});

test("what left is read back by the tool, in the session that asks and no other", async () => {
  const hooks = await plugin(home());
  const [ref = ""] =
    /ref_[0-9a-hjkmnp-tv-z]{12}(?=[^⟦⟧]{0,30}\b0\.txt)/.exec(textIn(await shown(hooks, 20))) ?? [];
  const read = hooks.tool?.["read_ref"];
  expect(await read?.execute({ ref }, { sessionID: "ses_1" })).toContain(OUTPUT(0));
  await expect(read?.execute({ ref }, { sessionID: "ses_2" })).rejects.toThrow();
});

test("a subagent's session is the child of the one that started it, and reads its refs", async () => {
  const hooks = await plugin(home());
  const [ref = ""] =
    /ref_[0-9a-hjkmnp-tv-z]{12}(?=[^⟦⟧]{0,30}\b0\.txt)/.exec(textIn(await shown(hooks, 20))) ?? [];
  await hooks.event?.({
    event: { type: "session.created", properties: { info: { id: "ses_child", parentID: "ses_1" } } },
  });
  expect(await hooks.tool?.["read_ref"]?.execute({ ref }, { sessionID: "ses_child" })).toContain(OUTPUT(0));
});

test("the agent's compact is done before the next request, and before only the first message nothing is asked", async () => {
  const folder = home();
  const hooks = await plugin(folder);
  expect(await shown(hooks, 0)).toEqual(conversation(0));
  expect(existsSync(join(folder, "store.db"))).toBe(false);
  expect(await shown(hooks, 8)).toEqual(conversation(8));
  await hooks.tool?.["compact"]?.execute({ focus: "the port" }, { sessionID: "ses_1" });
  expect(textIn(await shown(hooks, 9)).length).toBeLessThan(textIn(conversation(9)).length / 2);
});

test("around a compaction of OpenCode's its summarizer is told, and the page is the same after a restart", async () => {
  const folder = home();
  const hooks = await plugin(folder);
  const context: string[] = [];
  await hooks["experimental.session.compacting"]?.({ sessionID: "ses_1" }, { context });
  expect(context.join()).toContain("Do not leave out or reword any of these");
  const summarized = [
    { ...user("msg_q", ""), parts: [{ type: "compaction" }] },
    { info: { ...object(step(1)["info"]), summary: true }, parts: [{ type: "text", text: "THE SUMMARY" }] },
    user("msg_v", "go on"),
  ];
  const pageOf = async (inside: Hooks) => {
    await inside["experimental.chat.messages.transform"]?.({}, { messages: structuredClone(summarized) });
    const system: string[] = [];
    await inside["experimental.chat.system.transform"]?.({ sessionID: "ses_1" }, { system });
    return system.join();
  };
  // The list OpenCode reads to its summarizer comes right behind.
  await hooks["experimental.chat.messages.transform"]?.({}, { messages: conversation(4) });
  const page = await pageOf(hooks);
  expect(page).toContain("Kept outside the context (palimpsest)");
  expect(await pageOf(await plugin(folder))).toBe(page);
});

test("giant results become previews, of MCP tools too; small ones, and what was read back, stay", async () => {
  const folder = home();
  const hooks = await plugin(folder);
  const big = OUTPUT(3).repeat(20);
  const after = hooks["tool.execute.after"];
  const used = { tool: "bash", sessionID: "ses_1", callID: "c", args: { command: "x" } };
  const [plain, mcp, own, small] = [
    { output: big },
    { content: [{ type: "text", text: big }] },
    { output: big },
    { output: "small" },
  ];
  await after?.(used, plain);
  await after?.({ ...used, tool: "server_tool" }, mcp);
  await after?.({ ...used, tool: "read_ref" }, own);
  await after?.(used, small);
  expect([plain.output.startsWith("⟦ref_"), own.output === big, small.output]).toEqual([true, true, "small"]);
  expect(mcp.content).toEqual([{ type: "text", text: expect.stringMatching(/^⟦ref_/) }]);
  const store = await openSqliteStore({ path: join(folder, "store.db") });
  expect((await store.session("ses_1"))?.refs).toBeGreaterThan(0);
  await store.close();
});

test("a stub is not written, and schemas say what is required", async () => {
  const hooks = await plugin(home());
  const args = { content: "⟦ref_ysz3h89hw4zw File: a; 9 tokens; aged. Use read_ref.⟧" };
  const used = { tool: "write", sessionID: "ses_1", callID: "c" };
  await expect(hooks["tool.execute.before"]?.(used, { args })).rejects.toThrow(
    "the arguments contain a stub",
  );
  const definition: { jsonSchema?: JsonObject } = {};
  await hooks["tool.definition"]?.({ toolID: "read_ref" }, definition as never);
  expect(list(definition.jsonSchema?.["required"])).toEqual(["ref"]);
});

test("what cannot be reached fails open, is said once, and changes nothing", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const hooks = await plugin(home(), { node: "/nowhere/node" });
  expect(await shown(hooks, 20)).toEqual(conversation(20));
  expect(await shown(hooks, 20)).toEqual(conversation(20));
  expect(said.mock.calls.length).toBe(1);
  expect(String(said.mock.calls[0]?.[0])).toContain("Everything goes through as it is");
});

test("switched off, there is nothing", async () => {
  vi.stubEnv("PALIMPSEST_OFF", "1");
  expect(await plugin(home())).toEqual({});
});
