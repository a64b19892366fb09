/** Vercel AI SDK, by `prepareStep`: a step costs what is new in it. `AI_SDK=ai-7` runs it on version 7. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { openSession } from "palimpsest";
import { guarded, refTools, stepping } from "palimpsest/ai-sdk";
import { about, lookUp, QUESTION } from "./archive.mjs";

const { generateText, jsonSchema, stepCountIs, tool } = await import(process.env.AI_SDK ?? "ai");

const session = await openSession({ model: "llama-4", windowTokens: 16_000 });
const local = createOpenAICompatible({
  name: "local",
  baseURL: `${process.env.OPENAI_BASE_URL}`,
  includeUsage: true,
});
const look_up = tool({ ...about, inputSchema: jsonSchema(about.schema), execute: lookUp });
const system = "You are an archivist.";
const { text, steps } = await generateText({
  model: local("llama-4"),
  system,
  prompt: QUESTION,
  tools: { ...guarded({ look_up }), ...refTools(session) },
  ...stepping(session, { system }),
  stopWhen: stepCountIs(50),
  maxRetries: 0,
});
console.log(`${text}\n${steps.length} steps. ${session.savings().text}`);
