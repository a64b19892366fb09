/** `/context`, `/refs`, `/cost`: what fills the context, what left it, and what all of it came to. As rows of text. */
import { contentsOf } from "../measure/contents.ts";
import { estimatorFor } from "../measure/count.ts";
import { aiSdk } from "../wire/ai-sdk.ts";
import type { Agent } from "./agent.ts";

const ROWS = 5;

/** By kind, and of tools and files the largest. */
export function contextRows(agent: Agent): readonly string[] {
  const { options, context } = agent;
  const counter = estimatorFor(options.model.name);
  const transcript = aiSdk.read({ ...context });
  const { byKind, byTool, byFile } = contentsOf(transcript, {
    tokensOf: counter.part,
    toolTokens: counter.tool,
    cwd: options.workspace,
  });
  const tokens = byKind.reduce((sum, row) => sum + row.tokens, 0);
  return [
    `${count(tokens)} of ${count(options.windowTokens)} tokens (${meter(tokens / options.windowTokens)}), estimated`,
    ...byKind.map((row) => `  ${count(row.tokens).padStart(9)}  ${row.kind}`),
    ...titled(
      "tools",
      byTool.slice(0, ROWS).map((row) => `  ${count(row.tokens).padStart(9)}  ${row.tool}`),
    ),
    ...titled(
      "files",
      byFile.slice(0, ROWS).map((row) => `  ${count(row.tokens).padStart(9)}  ${row.path}`),
    ),
  ];
}

function titled(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : [`the largest ${title}`, ...rows];
}

export async function refRows(agent: Agent, contains?: string): Promise<readonly string[]> {
  const query = { limit: 20, ...(contains === undefined ? {} : { contains }) };
  const { rows, total } = await agent.session.refs(query);
  if (rows.length === 0) return ["nothing has left the context"];
  const more = total > rows.length ? [`  … and ${count(total - rows.length)} more`] : [];
  return [
    ...rows.map((row) => `  ${row.ref}  ${count(row.tokens).padStart(7)}  ${row.description}`),
    ...more,
  ];
}

/** Net (law 8): the lines add up to the result, which may be a loss. */
export function costRows(agent: Agent): readonly string[] {
  const { spent, budgets } = agent.spending;
  const { lines, text } = agent.session.savings();
  const price = spent.isPriced ? `$${spent.usd.toFixed(2)} of $${budgets.usd}` : "price unknown";
  const used = `${count(spent.turns)} of ${count(budgets.turns)} turns, ${count(spent.tokens)} of ${count(budgets.tokens)} tokens`;
  const rest = `${count(spent.toolCalls)} of ${count(budgets.toolCalls)} tool calls, ${price}`;
  return [
    `spent: ${used}, ${rest}, ${spent.minutes.toFixed(1)} of ${budgets.minutes} minutes`,
    "against sending everything:",
    ...lines.map((line) => `  ${signed(line.tokens).padStart(12)}  ${line.what}`),
    text,
  ];
}

export function meter(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function signed(value: number): string {
  return value > 0 ? `+${count(value)}` : count(value);
}
