/** subagent: a task for a helper with a window of its own. Its answer comes back; how it got there does not. */
import { type AgentTool, BadCall, schema, text, textOf } from "./tool.ts";

export const subagentTool: AgentTool = {
  name: "subagent",
  description:
    "Give a task to a helper with a context of its own and the same tools. Only its final answer comes back. Use it for searches and side tasks that would fill your context.",
  input: schema({ task: text("everything it needs to know") }, ["task"]),
  async run(input, { delegate }) {
    if (!delegate) throw new BadCall("A subagent has no subagents.");
    return delegate(textOf(input, "task"));
  },
};
