import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { otherCompactor } from "../../src/hosts/pi/other-compactor.ts";
import type { Pi, PiContext } from "../../src/hosts/pi/pi.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { scratchFolder } from "../cli/run.ts";

const FOLDER = scratchFolder();
const COMPACTS = 'export default (pi) => pi.on("session_before_compact", () => ({ cancel: true }));\n';
const NOTES = 'export default (pi) => pi.on("tool_result", () => undefined);\n';
const OURS = 'export { default } from "file:///x/hosts/pi/extension.js";\n';

function place() {
  const folder = mkdtempSync(join(FOLDER, "pi-"));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return join(folder, path);
  };
  put("home/.pi/agent/extensions/palimpsest.js", OURS);
  put("home/.pi/agent/extensions/notes.ts", NOTES);
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const env = { HOME: join(folder, "home") };
  return { put, cwd, env, loaded: { argv: [] as string[], cwd, env, named: [] as string[] } };
}

describe("another extension of pi that compacts", () => {
  test("nobody: extensions that do other things, and our own file, are none", () => {
    expect(otherCompactor(place().loaded)).toBeUndefined();
  });

  test("one of the user's, of the project's, of the command line, and one of a package that has a tool", () => {
    const { put, loaded, cwd } = place();
    const own = put("project/own.ts", COMPACTS);
    expect(otherCompactor({ ...loaded, argv: ["pi", "-p", "-e", "own.ts", "go"] })).toBe(own);
    expect(otherCompactor({ ...loaded, argv: ["pi", "--extension", own] })).toBe(own);
    expect(otherCompactor({ ...loaded, argv: ["pi", "own.ts"] })).toBeUndefined();
    const packed = put("home/.pi/agent/npm/x/index.js", COMPACTS);
    expect(otherCompactor({ ...loaded, named: ["<builtin:bash>", packed] })).toBe(packed);
    const project = put("project/.pi/extensions/fold/src/compaction.ts", COMPACTS);
    expect(otherCompactor(loaded)).toBe(project);
    expect(otherCompactor({ ...loaded, cwd: dirname(cwd) })).toBeUndefined();
    const users = put("home/.pi/agent/extensions/zip/index.ts", COMPACTS);
    expect(otherCompactor({ ...loaded, cwd: dirname(cwd) })).toBe(users);
    expect(otherCompactor({ ...loaded, argv: ["pi", "--no-extensions"] })).toBeUndefined();
  });
});

const DIST = resolve(import.meta.dirname, "../../dist");
const SAID = { role: "user", content: [{ type: "text", text: "never touch port 48213" }], timestamp: 1 };
const HEAD = { type: "session", version: 3, id: "s", timestamp: "2026-11-18T00:00:00.000Z", cwd: FOLDER };
const LINE = { type: "message", id: "m1", parentId: null, timestamp: HEAD.timestamp, message: SAID };
let count = 0;

async function compacted(how: { readonly env?: string; readonly another?: string }) {
  const { put, cwd, env } = place();
  const home = join(cwd, "store");
  vi.stubEnv("HOME", env.HOME);
  vi.stubEnv("PALIMPSEST_HOME", home);
  vi.stubEnv("PALIMPSEST_COMPACTION", how.env ?? "");
  if (how.another !== undefined) put("project/.pi/extensions/other.ts", how.another);
  const file = put("home/s.jsonl", `${JSON.stringify(HEAD)}\n${JSON.stringify(LINE)}\n`);
  const handlers = new Map<string, (event: unknown, context: PiContext) => Promise<unknown>>();
  const none = () => [];
  const pi = {
    on: (event: string, handler: never) => void handlers.set(event, handler),
    registerTool: none,
    registerCommand: none,
    getAllTools: none,
    getCommands: none,
  };
  const { default: extension } = (await import(`${DIST}/hosts/pi/extension.js?beside${++count}`)) as {
    default: (pi: Pi) => void;
  };
  extension(pi as unknown as Pi);
  const said: string[] = [];
  const context: PiContext = {
    cwd,
    sessionManager: { getSessionId: () => "s", getSessionFile: () => file },
    ui: { notify: (message) => said.push(message) },
  };
  const preparation = { firstKeptEntryId: "m1", tokensBefore: 9 };
  const answer = await handlers.get("session_before_compact")?.({ preparation }, context);
  await handlers.get("session_shutdown")?.({}, context);
  const store =
    existsSync(join(home, "store.db")) && (await openSqliteStore({ path: join(home, "store.db") }));
  const { total } = store ? await store.list("s", {}) : { total: 0 };
  if (store) await store.close();
  return { answer, said, total };
}

describe("a compaction of pi's", () => {
  test("is ours, where nobody else asks for it", async () => {
    const { answer, said } = await compacted({ another: NOTES });
    expect(JSON.stringify(answer)).toContain("never touch port 48213");
    expect(said).toEqual([]);
  });

  test("is another extension's, where one asks for it: everything is kept, and the user is told whose it is", async () => {
    const { answer, said, total } = await compacted({ another: COMPACTS });
    expect(answer).toBeUndefined();
    expect(total).toBe(1);
    expect(said).toEqual([expect.stringMatching(/compaction is left to .*other\.ts/)]);
  });

  test("is pi's own, where the user says so, and everything is kept", async () => {
    const { answer, said, total } = await compacted({ env: "host" });
    expect([answer, said, total]).toEqual([undefined, [], 1]);
  });
});
