/** LangChain.js: a middleware around every model call. The state of the graph stays whole. */
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, createMiddleware, ToolMessage, tool } from "langchain";
import { openSession } from "palimpsest";
import { compacting, refTools } from "palimpsest/langchain";
import { about, lookUp, QUESTION } from "./archive.mjs";

const session = await openSession({ model: "claude-sonnet-4-5", windowTokens: 16_000 });
const agent = createAgent({
  model: new ChatAnthropic({
    model: "claude-sonnet-4-5",
    maxTokens: 4_000,
    maxRetries: 0,
    thinking: { type: "enabled", budget_tokens: 1_024 },
    anthropicApiUrl: process.env.ANTHROPIC_BASE_URL,
  }),
  systemPrompt: "You are an archivist.",
  tools: [tool(lookUp, about), ...refTools(session).map(({ run, ...ref }) => tool(run, ref))],
  middleware: [createMiddleware(compacting(session, { ToolMessage }))],
});

let state;
const input = { messages: [{ role: "user", content: QUESTION }] };
for await (const [mode, chunk] of await agent.stream(input, {
  recursionLimit: 200,
  streamMode: ["messages", "values"],
})) {
  if (mode === "values") state = chunk;
  else if (chunk[0].getType() === "ai") process.stdout.write(chunk[0].text);
}
const answers = state.messages.filter((message) => message.getType() === "ai");
console.log(`\n${answers.length} steps. ${session.savings().text}`);
