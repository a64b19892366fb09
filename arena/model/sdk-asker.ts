/** A model of the AI SDK, with `read_ref` and `list_refs` where there is something to read back. */
import { jsonSchema, type LanguageModel, stepCountIs, type ToolSet, tool } from "ai";
import { runTool, type Store, toolSchemas } from "palimpsest";
import type { Asker } from "./asker.ts";

const MOST_STEPS = 6;
const MOST_OUTPUT_TOKENS = 2_000;

export function sdkAsker(model: LanguageModel): Asker {
  return {
    name: typeof model === "string" ? model : model.modelId,
    async ask({ system, prompt, store }) {
      const { generateText } = await import("ai");
      const { text, totalUsage, steps } = await generateText({
        ...{ model, system, prompt, maxRetries: 2, maxOutputTokens: MOST_OUTPUT_TOKENS },
        ...(store ? { tools: toolsOver(store), stopWhen: stepCountIs(MOST_STEPS) } : {}),
      });
      return {
        text,
        inputTokens: totalUsage.inputTokens ?? 0,
        outputTokens: totalUsage.outputTokens ?? 0,
        reads: steps.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0),
      };
    },
  };
}

function toolsOver(store: Store): ToolSet {
  const given = toolSchemas.filter(({ name }) => name !== "compact");
  return Object.fromEntries(
    given.map(({ name, description, input }) => [
      name,
      tool({
        ...(description === undefined ? {} : { description }),
        inputSchema: jsonSchema(input),
        execute: async (asked) =>
          (await runTool(name, asked as Parameters<typeof runTool>[1], { store, sessionId: "arena" })).text,
      }),
    ]),
  );
}
