/**
 * Our mod as Claude Code runs it, around it an engine that only dispatches: hooks are called with `$`, the event and `next`,
 * and `$.process.run` starts the real process. The real engine is in `npm run conformance`.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { vi } from "vitest";
import type { JsonObject } from "../../src/transcript/json.ts";
import { scratchFolder } from "../cli/run.ts";

export const BIN: string = resolve(import.meta.dirname, "../../dist/cli/bin.js");
export const FOLDER: string = scratchFolder();
let count = 0;

type Hook = (
  $: unknown,
  event: JsonObject,
  next: (event: JsonObject) => Promise<unknown>,
) => Promise<unknown>;
interface Registered {
  readonly event: string;
  readonly matcher: JsonObject;
  readonly hook: Hook;
}

export interface Starting {
  readonly env?: Record<string, string>;
  readonly isInteractive?: boolean;
  /** Whether our process can be started. */
  readonly isReachable?: boolean;
}

export type Dispatch = (event: string, e: JsonObject, core?: (e: JsonObject) => unknown) => Promise<unknown>;

export interface Started {
  readonly dispatch: Dispatch;
  readonly said: string[];
  readonly tools: string[];
  readonly compacted: JsonObject[];
  readonly state: { isReachable: boolean; window: number; request: readonly JsonObject[] };
  readonly home: string;
  readonly pid: string;
}

/** A session with the mod in it; each has its own copy of the module, as each process of Claude Code has. */
export async function started({
  env = {},
  isInteractive = false,
  isReachable = true,
}: Starting = {}): Promise<Started> {
  count += 1;
  const home = join(FOLDER, `home-${count}`);
  const said: string[] = [];
  const tools: string[] = [];
  const compacted: JsonObject[] = [];
  const state = { isReachable, window: 200_000, request: [] as readonly JsonObject[] };
  const engine = {
    session: {
      id: async () => "s1",
      cwd: async () => FOLDER,
      model: async () => "claude-sonnet-4-5",
      info: async () => ({ transcriptPath: join(home, "s1.jsonl") }),
      usage: async () => ({ context: { window: state.window } }),
      messages: async () => state.request,
      compact: async (how: JsonObject) => {
        compacted.push(how);
        return {};
      },
    },
    tool: {
      register: async (tool: { name: string; isDeferred: boolean }) =>
        tools.push(`${tool.name} ${tool.isDeferred}`),
    },
    command: { register: async () => undefined },
    process: {
      hookEnv: async () => ({ CLAUDE_PID: `77${count}` }),
      run: async (
        argv: readonly string[],
        { stdin, env: own }: { stdin: string; env: Record<string, string> },
      ) => {
        if (!state.isReachable) throw new Error("spawn palimpsest ENOENT");
        const ran = spawnSync(process.execPath, [BIN, ...argv.slice(1)], {
          input: stdin,
          env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, ...own },
          encoding: "utf8",
          maxBuffer: 1 << 26,
        });
        return { exitCode: ran.status ?? 1, stdout: ran.stdout, stderr: ran.stderr };
      },
    },
    env: { get: async (name: string) => env[name] },
    ui: { log: (text: string) => said.push(text) },
  };
  vi.resetModules();
  const { register } = await import("../../plugins/claude-code/hooks/register.ts");
  const hooks: Registered[] = [];
  const on = (event: string, ...rest: readonly unknown[]) => {
    const [matcher, hook] = rest.length === 2 ? rest : [{}, rest[0]];
    hooks.push({ event, matcher: matcher as JsonObject, hook: hook as Hook });
  };
  register(on as never);
  const dispatch = async (event: string, e: JsonObject, core: (e: JsonObject) => unknown = () => "core") => {
    const found = hooks.find(
      (one) =>
        one.event === event &&
        Object.entries(one.matcher).every(([key, value]) => key === "command" || e[key] === value),
    );
    return found ? found.hook(engine, e, async (passed) => core(passed)) : core(e);
  };
  await dispatch("session.start", { cwd: FOLDER, isInteractive });
  return { dispatch, said, tools, compacted, state, home, pid: `77${count}` };
}

export type OwnCompaction = ((e: JsonObject) => Promise<unknown>) & {
  readonly state: { asked: JsonObject | undefined };
};

/** The engine's own compaction: it asks the user's PreCompact hooks, then a model, then SessionStart hooks. */
export function compacting(dispatch: Dispatch, { block }: { readonly block?: string } = {}): OwnCompaction {
  const state: OwnCompaction["state"] = { asked: undefined };
  const core = async (e: JsonObject) => {
    const loop = e["agentId"] === undefined ? {} : { agent_id: e["agentId"] };
    const said = (await dispatch("classic.PreCompact", { trigger: "auto", ...loop }, () =>
      block === undefined ? {} : { block },
    )) as { block?: string };
    if (said.block !== undefined) return { skip: said.block };
    state.asked = e;
    return { messages: ["THE HOST'S SUMMARY"] };
  };
  return Object.assign(core, { state });
}
