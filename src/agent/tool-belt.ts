/** The tools an agent has: its own, and those of its session as the policy gives them. */
import type { Outcome } from "../compact.ts";
import type { AgentSession } from "../session.ts";
import type { Store } from "../store/store.ts";
import type { SdkTools } from "../summarize/sdk-model.ts";
import { runTool } from "../tools.ts";
import { defined, type Json, type JsonObject } from "../transcript/json.ts";
import { bashTool } from "./tools/bash.ts";
import { editFileTool, readFileTool, writeFileTool } from "./tools/files.ts";
import { globTool, grepTool } from "./tools/search.ts";
import { subagentTool } from "./tools/subagent.ts";
import { todoTool } from "./tools/todo.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";

const OWN: readonly AgentTool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  bashTool,
  grepTool,
  globTool,
  todoTool,
];

export interface Belt {
  readonly store: Store;
  readonly canDelegate: boolean;
  /** The agent compacted by itself: whoever watches is told. */
  readonly onCompacted: (outcome: Outcome | undefined) => void;
  readonly more?: readonly AgentTool[] | undefined;
}

export function toolsFor(session: AgentSession, belt: Belt): readonly AgentTool[] {
  const { canDelegate, more = [] } = belt;
  const { schemas, run } = session.tools;
  const recalling = schemas.map(
    ({ name, description = "", input }): AgentTool => ({
      name,
      description,
      input,
      run: (given) => (name === "compact" ? compactNow(session, given, belt) : run(name, given)),
    }),
  );
  return [...OWN, ...(canDelegate ? [subagentTool] : []), ...recalling, ...more];
}

/** At a task boundary, by the agent itself. The step that asks for it is not part of what is compacted. */
async function compactNow(session: AgentSession, input: JsonObject, belt: Belt): Promise<ToolResult> {
  const { store, onCompacted } = belt;
  const compact = async (focus: string | undefined) => {
    const outcome = await session.compact({ trigger: "agent", ...defined({ focus }) });
    onCompacted(outcome);
    return outcome;
  };
  return runTool("compact", input, { store, sessionId: session.id, compact });
}

/** As the SDK takes them. They have nothing to execute: the loop does. */
export async function toolSet(tools: readonly AgentTool[]): Promise<SdkTools> {
  const { jsonSchema, tool } = await import("ai");
  const entries = tools.map(({ name, description, input }) => [
    name,
    tool({ description, inputSchema: jsonSchema(input as Parameters<typeof jsonSchema>[0]) }),
  ]);
  return Object.fromEntries(entries);
}

/** The SDK's objects as a value a session can count; it looks no further than names and schemas. */
export function asJson(tools: SdkTools): Json {
  return tools as unknown as Json;
}
