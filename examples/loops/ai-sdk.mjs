/** Vercel AI SDK, by middleware: every request is shortened, counted, and asked again after an overflow. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { openSession } from "palimpsest";
import { compacting, guarded, refTools } from "palimpsest/ai-sdk";
import { about, lookUp, QUESTION } from "./archive.mjs";

const session = await openSession({ model: "claude-sonnet-4-5", windowTokens: 16_000 });
const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1` });
const model = wrapLanguageModel({ model: anthropic("claude-sonnet-4-5"), middleware: compacting(session) });

const look_up = tool({ ...about, inputSchema: jsonSchema(about.schema), execute: lookUp });
const result = streamText({
  model,
  system: "You are an archivist.",
  prompt: QUESTION,
  tools: { ...guarded({ look_up }), ...refTools(session) },
  stopWhen: stepCountIs(50),
  maxRetries: 0,
});
for await (const text of result.textStream) process.stdout.write(text);
console.log(`\n${(await result.steps).length} steps. ${session.savings().text}`);
