/** Never run: that our adapters fit the frameworks' own types is for the compiler to say (`test/loops/types.test.ts`). */

import type { LanguageModelV3 } from "@ai-sdk/provider";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, wrapLanguageModel } from "ai";
import { generateText as generateText7, wrapLanguageModel as wrapLanguageModel7 } from "ai-7";
import { createAgent, createMiddleware, ToolMessage, tool } from "langchain";
import { openSession } from "palimpsest";
import * as aiSdk from "palimpsest/ai-sdk";
import * as langchain from "palimpsest/langchain";
import * as agents from "palimpsest/openai-agents";

declare const model: LanguageModelV3;
const session = await openSession();

await generateText({
  model: wrapLanguageModel({ model, middleware: aiSdk.compacting(session) }),
  tools: { ...aiSdk.refTools(session) },
  prompt: "",
  ...aiSdk.stepping(session),
});
await generateText7({
  model: wrapLanguageModel7({ model, middleware: aiSdk.compacting(session, "v4") }),
  tools: { ...aiSdk.refTools(session) },
  prompt: "",
  ...aiSdk.stepping(session),
});

createAgent({
  model: "any",
  tools: langchain.refTools(session).map(({ run, ...about }) => tool(run, about)),
  middleware: [createMiddleware(langchain.compacting(session, { ToolMessage }))],
});

new Runner({ modelProvider: agents.compacting(new OpenAIProvider(), session) });
new Agent({ name: "any", tools: agents.guarded(agents.refTools(session).map((about) => agentTool(about))) });
