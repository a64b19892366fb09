/**
 * Gemini CLI's hook processes. A result is replaced by "denying" it, so the model sees it as an error: the preview says
 * what it is. It has no moment after a compression; what was said is kept before, and the page goes out with each request.
 */
import { isList, isObject, type Json } from "../../transcript/json.ts";
import { callIn, type HookHost, type Moment } from "../hook-host.ts";

const MOMENTS: Readonly<Record<string, Moment>> = {
  SessionStart: "session-start",
  SessionEnd: "session-end",
  BeforeTool: "before-tool",
  AfterTool: "after-tool",
  // Fires before every model call, whether or not anything is compressed.
  PreCompress: "maybe-compaction",
  BeforeModel: "summarized",
};

export const geminiCliHooks: HookHost = {
  name: "gemini-cli",
  pageTokens: 6_000,
  moment: ({ event }) => MOMENTS[event],
  callOf: callIn,

  born(told) {
    const response = told.raw["tool_response"];
    const text = outputText(isObject(response) ? response["llmContent"] : response);
    return text === undefined ? undefined : { call: callIn(told), text };
  },

  shortened: (_, text) => ({
    decision: "deny",
    reason: `The tool succeeded; its output is shortened.\n${text}`,
  }),
  refused: (_, why) => ({ decision: "deny", reason: why }),
  instructed: async () => undefined,
  injected: ({ event }, text) => ({
    hookSpecificOutput: { hookEventName: event, additionalContext: text },
  }),
};

/** A text, or parts that are all text. */
function outputText(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  const parts = isList(content) ? content : content === undefined ? [] : [content];
  const texts = parts.map((part) => (isObject(part) ? part["text"] : part));
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}
