/** A tool of ours, run so that the host shows its answer whole; and on record, because savings are net of what is read back. */
import { runTool, type ToolAnswer, type ToolContext } from "./tools.ts";
import { isObject, type Json } from "./transcript/json.ts";

/**
 * Hosts cut larger results out of the middle (Gemini CLI: 40,000 characters) or put them into a file and show an error
 * (Claude Code: 25,000 tokens). A part with the call that goes on is worth more, so an answer that is too long is asked for
 * again, shorter.
 */
const MOST_CHARS = 38_000;

export async function runToolWithin(
  name: string,
  input: Json,
  context: ToolContext,
): Promise<{ readonly answer: ToolAnswer; readonly recalled?: Recalled }> {
  let recalled: Recalled | undefined;
  const onRecalled = (one: Recalled) => {
    recalled = one;
  };
  let answer = await runTool(name, input, { ...context, onRecalled });
  // Tokens differ in length, so once may not be enough; three times always was.
  for (let tries = 0; tries < 3 && answer.text.length > MOST_CHARS && isObject(input); tries += 1) {
    const maxTokens = Math.floor((answer.tokens * MOST_CHARS * 0.97) / answer.text.length);
    answer = await runTool(name, { ...input, max_tokens: maxTokens }, { ...context, onRecalled });
  }
  return { answer, ...(recalled ? { recalled } : {}) };
}

export type Recalled = Parameters<NonNullable<ToolContext["onRecalled"]>>[0];
