/** Agents for tests: real folders, a real store on disk, a scripted model behind real HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  openAgent,
  openModel,
} from "../../src/agent/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { ModelRequest, ModelServer } from "../../src/testing/index.ts";
import { CLAUDE } from "../testing/ask.ts";

export function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "palimpsest-agent-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

export interface TestAgent {
  readonly agent: Agent;
  readonly events: AgentEvent[];
  readonly workspace: string;
  readonly home: string;
}

export async function agentOn(
  { url }: ModelServer,
  options: Partial<AgentOptions> & { readonly modelWord?: string } = {},
): Promise<TestAgent> {
  const { modelWord = `anthropic/${CLAUDE}` } = options;
  const [workspace, home] = [options.workspace ?? folder(), options.home ?? folder()];
  const events: AgentEvent[] = [];
  const store = options.store ?? (await openSqliteStore({ path: join(home, "store.db") }));
  const env = { ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" };
  const baseUrl = modelWord.startsWith("anthropic/") ? url : `${url}/v1`;
  const agent = await openAgent({
    model: await openModel(modelWord, { baseUrl, env }),
    permit: async () => ({ kind: "yes" }),
    onEvent: (event) => events.push(event),
    ...options,
    workspace,
    home,
    store,
  });
  onTestFinished(async () => {
    await agent.close().catch(() => {});
    if (!options.store) await store.close();
  });
  return { agent, events, workspace, home };
}

export function of<T extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: T,
): readonly Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** What was said last, by whoever. */
export function lastText({ transcript }: ModelRequest): string {
  const parts = transcript.messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Everything the model could read in this request. */
export function allText({ transcript }: ModelRequest): string {
  return JSON.stringify([transcript.system ?? [], transcript.messages]);
}
