/** The tools an agent has: its own, and those of its session as the policy gives them. */
import type { ToolSet } from "ai";
import type { AgentSession } from "../session.ts";
import type { Json } from "../transcript/json.ts";
import { bashTool } from "./tools/bash.ts";
import { editFileTool, readFileTool, writeFileTool } from "./tools/files.ts";
import { globTool, grepTool } from "./tools/search.ts";
import { subagentTool } from "./tools/subagent.ts";
import { todoTool } from "./tools/todo.ts";
import type { AgentTool } from "./tools/tool.ts";

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
  readonly canDelegate: boolean;
  readonly more?: readonly AgentTool[] | undefined;
}

export function toolsFor(session: AgentSession, { canDelegate, more = [] }: Belt): readonly AgentTool[] {
  const { schemas, run } = session.tools;
  const recalling = schemas.map(
    ({ name, description = "", input }): AgentTool => ({
      name,
      description,
      input,
      async run(given) {
        const { text, isError } = await run(name, given);
        return { text, isError };
      },
    }),
  );
  return [...OWN, ...(canDelegate ? [subagentTool] : []), ...recalling, ...more];
}

/** As the SDK takes them. They have nothing to execute: the loop does. */
export async function toolSet(tools: readonly AgentTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import("ai");
  const entries = tools.map(({ name, description, input }) => [
    name,
    tool({ description, inputSchema: jsonSchema(input as Parameters<typeof jsonSchema>[0]) }),
  ]);
  return Object.fromEntries(entries);
}

/** The SDK's objects as a value a session can count; it looks no further than names and schemas. */
export function asJson(tools: ToolSet): Json {
  return tools as unknown as Json;
}
