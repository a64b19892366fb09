/**
 * Claude Code's hook processes. A replaced result must have the tool's own output shape or it is ignored without a word,
 * so only the tools whose shape is known are replaced. Failing tools have no such answer: their results stay.
 */
import { readFileSync, statSync } from "node:fs";
import { isList, isObject, type Json, type JsonObject } from "../../transcript/json.ts";
import { callIn, type HookHost, type Moment, type Told } from "../hook-host.ts";

const MOMENTS: Readonly<Record<string, Moment>> = {
  SessionStart: "session-start",
  SessionEnd: "session-end",
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
  PreCompact: "before-compaction",
};

export const claudeCodeHooks: HookHost = {
  name: "claude-code",
  pageTokens: 6_000,

  moment: ({ event, raw }) =>
    event === "SessionStart" && raw["source"] === "compact" ? "after-compaction" : MOMENTS[event],

  callOf: callIn,

  born(told) {
    const text = outputText(told);
    return text === undefined ? undefined : { call: callIn(told), text };
  },

  shortened: (told, text) => specific(told, { updatedToolOutput: inShape(told, text) }),

  refused: (told, why) => specific(told, { permissionDecision: "deny", permissionDecisionReason: why }),

  // Plain text on standard output is what PreCompact takes.
  instructed: async (text) => text,

  injected: (told, text, notice) => ({
    ...specific(told, { additionalContext: text }),
    systemMessage: notice,
  }),
};

function specific({ event }: Told, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

function outputText({ raw }: Told): string | undefined {
  const { tool_name: name, tool_response: response } = raw;
  if (isMcp(name)) return mcpText(response);
  if (!isObject(response)) return undefined;
  if (name === "Bash") return bashText(response);
  if (name === "Read" && response["type"] === "text" && isObject(response["file"])) {
    const { content } = response["file"];
    return typeof content === "string" ? content : undefined;
  }
  return undefined;
}

function isMcp(name: Json | undefined): boolean {
  return typeof name === "string" && name.startsWith("mcp__");
}

/** A text, or blocks; blocks that are not text (images) leave the result alone. */
function mcpText(response: Json | undefined): string | undefined {
  if (typeof response === "string") return response;
  if (!isList(response)) return undefined;
  const texts = response.map((block) =>
    isObject(block) && block["type"] === "text" ? block["text"] : undefined,
  );
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

/** Larger files than this are not read into a hook. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A long output reaches the hook cut; the host keeps the whole of it in a file, and names that. */
function bashText({ stdout, stderr, isImage, persistedOutputPath: path }: JsonObject): string | undefined {
  if (typeof stdout !== "string" || isImage === true) return undefined;
  const whole =
    typeof path === "string" && statSync(path).size <= MOST_BYTES ? readFileSync(path, "utf8") : stdout;
  return typeof stderr === "string" && stderr !== "" ? `${whole}\n${stderr}` : whole;
}

function inShape({ raw }: Told, text: string): Json {
  const { tool_name: name, tool_response: response } = raw;
  if (name === "Bash") return { stdout: text, stderr: "", interrupted: false };
  if (name !== "Read" || !isObject(response) || !isObject(response["file"])) return text;
  return { type: "text", file: { ...response["file"], content: text, numLines: text.split("\n").length } };
}
