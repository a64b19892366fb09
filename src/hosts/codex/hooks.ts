/**
 * Codex's hook processes: Claude Code's events with other answers. A result is replaced by "blocking" it with a reason, and
 * the turn goes on; what is injected beyond 2,500 tokens would be spilled to disk, so the page is smaller.
 */
import { isList, isObject, type Json } from "../../transcript/json.ts";
import { callIn, type HookHost, type Moment } from "../hook-host.ts";

const MOMENTS: Readonly<Record<string, Moment>> = {
  SessionStart: "session-start",
  SessionEnd: "session-end",
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
  PreCompact: "before-compaction",
};

export const codexHooks: HookHost = {
  name: "codex",
  pageTokens: 2_200,

  moment: ({ event, raw }) =>
    event === "SessionStart" && raw["source"] === "compact" ? "after-compaction" : MOMENTS[event],

  callOf: callIn,

  born(told) {
    // Asked for by a script the model wrote: the script has the result, the context has what it prints. Blocking would fail it.
    if (callIn(told).callId.startsWith("exec-")) return undefined;
    const text = outputText(told.raw["tool_response"]);
    return text === undefined ? undefined : { call: callIn(told), text };
  },

  shortened: (_, text) => ({ decision: "block", reason: text }),

  refused: ({ event }, why) => ({
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: "deny",
      permissionDecisionReason: why,
    },
  }),

  // PreCompact has no field for it; keeping everything was what it was for.
  instructed: async () => undefined,

  injected: ({ event }, text, notice) => ({
    hookSpecificOutput: { hookEventName: event, additionalContext: text },
    systemMessage: notice,
  }),
};

/** A string for built-in tools, the protocol's own result for MCP. */
function outputText(response: Json | undefined): string | undefined {
  if (typeof response === "string") return response;
  if (!isObject(response) || !isList(response["content"])) return undefined;
  const texts = response["content"].map((block) =>
    isObject(block) && block["type"] === "text" ? block["text"] : undefined,
  );
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}
