/** `palimpsest/agent`: a small reference agent with the whole of Palimpsest in its loop. What is not exported is ours to change. */
export type { Agent } from "./agent.ts";
export { type BudgetName, type Budgets, DEFAULT_BUDGETS, Spending, type Spent } from "./budget.ts";
export { CONTRIBUTORS } from "./contributors.ts";
export { type AgentEvent, type Ending, eventLine } from "./events.ts";
export { handoffPage } from "./handoff.ts";
export { type AgentModel, openModel } from "./models.ts";
export { openAgent } from "./open-agent.ts";
export type { AgentOptions } from "./options.ts";
export type { Contributor, PromptFacts, Section } from "./prompt.ts";
export type { AgentTool, Asked, Permission, Permit, ToolAround, ToolResult } from "./tools/tool.ts";
