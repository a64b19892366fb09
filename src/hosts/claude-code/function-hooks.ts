/**
 * What our mod inside Claude Code (`plugins/claude-code/hooks/register.ts`) asks of a process on Node. The mod runs without
 * files and without the store; it is ours too, so question and answer are plain.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { isList, isObject, type Json, type JsonObject } from "../../transcript/json.ts";
import { callIn, type HookHost, type Moment, type Told } from "../hook-host.ts";

const MOMENTS: Readonly<Record<string, Moment>> = {
  "session.start": "session-start",
  "session.end": "session-end",
  "tool.check": "before-tool",
  "session.append": "after-tool",
  "session.compact": "compaction",
  "session.compacted": "after-compaction",
  "tool.run": "own-tool",
};

export const claudeCodeFunctionHooks: HookHost = {
  name: "claude-code",
  pageTokens: 6_000,
  isInside: true,
  moment: ({ event }) => MOMENTS[event],
  callOf: callIn,
  async started() {
    const { toolSchemas } = await import("../../tools.ts");
    return { tools: toolSchemas.map(({ name, description = "", input }) => ({ name, description, input })) };
  },
  born(told) {
    const text = told.raw["tool_response"];
    if (typeof text !== "string") return undefined;
    const isError = told.raw["is_error"] === true;
    return { call: callIn(told), text: wholeOf(text, told) ?? text, isError };
  },
  shortened: (_, text) => ({ shown: text }),
  refused: (_, why) => ({ refused: why }),
  instructed: async () => undefined,
  injected: (_, page) => ({ page }),
};

/** Larger files than this are not read into a hook. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Of a long output Claude Code shows the beginning and names the file it kept. A tool can print the same words, so the file
 * must be where Claude Code keeps the results of this session.
 */
function wholeOf(text: string, { transcriptPath = "" }: Told): string | undefined {
  const path = /^<persisted-output>\n[^\n]*Full output saved to: ([^\n]+)\n/.exec(text)?.[1]?.trim();
  const home = `${transcriptPath.replace(/\.jsonl$/, "")}${sep}tool-results`;
  if (path === undefined || !existsSync(path) || !existsSync(home)) return undefined;
  const isTheirs = dirname(realpathSync(path)) === realpathSync(home);
  return isTheirs && statSync(path).size <= MOST_BYTES ? readFileSync(path, "utf8") : undefined;
}

/** What a tool of ours answered, in blocks Claude Code takes. */
export function toolBlocks(text: string, { content }: JsonObject): readonly Json[] {
  const images = (isList(content) ? content : []).flatMap((item): readonly Json[] => {
    if (!isObject(item) || item["type"] !== "image" || !isObject(item["source"])) return [];
    const { kind, mediaType, base64 } = item["source"];
    if (kind !== "data" || typeof mediaType !== "string" || typeof base64 !== "string") return [];
    return [{ type: "image", source: { type: "base64", media_type: mediaType, data: base64 } }];
  });
  return [{ type: "text", text }, ...images];
}
