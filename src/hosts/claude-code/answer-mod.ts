/** The two questions only our mod in Claude Code asks: a compaction to take over, and a tool of ours to run. */
import { existsSync } from "node:fs";
import { openFile } from "../../file.ts";
import { runToolWithin } from "../../tool-within.ts";
import { defined, type Json, number, string } from "../../transcript/json.ts";
import { callIn, type Told } from "../hook-host.ts";
import { withStore } from "../store-of.ts";
import { toolBlocks } from "./function-hooks.ts";
import { takeOver } from "./take-over.ts";

export async function answerCompaction(told: Told): Promise<Json> {
  const { raw, sessionId, cwd, transcriptPath: path } = told;
  return withStore(told, async (store) => {
    // The file the host keeps, as it is now: the host may tidy it away one day.
    if (path !== undefined && existsSync(path))
      await store.keepSource(sessionId, "claude-code", openFile(path).chunks());
    const taken = await takeOver(raw["rows"] ?? null, raw["request"], {
      ...{ store, sessionId, cwd, at: Date.now() },
      trigger: string(raw["trigger"]) ?? "manual",
      isLeft: raw["is_left"] === true,
      ...defined({
        focus: string(raw["focus"]),
        model: string(raw["model"]),
        windowTokens: number(raw["window_tokens"]),
        contextTokens: number(raw["context_tokens"]),
      }),
    });
    return { ...taken };
  });
}

export async function answerTool(told: Told): Promise<Json> {
  const { name, input } = callIn(told);
  const { sessionId } = told;
  return withStore(told, async (store) => {
    const { answer, recalled } = await runToolWithin(name, input, { store, sessionId });
    if (recalled) await store.append(sessionId, [{ kind: "recalled", at: Date.now(), ...recalled }]);
    const { isError, text, structured } = answer;
    return { isError, text, blocks: toolBlocks(text, structured) };
  });
}
