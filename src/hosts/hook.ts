/**
 * The process a host starts at every tool call. Most of them have nothing to do, so this file decides that with nothing
 * imported but `node:fs`; only a large result, a call that names a ref, or a turn in the session's life loads the rest.
 *
 * Whatever goes wrong in here, the host goes on as if we were not installed.
 */
import { readFileSync, writeSync } from "node:fs";

/** Below this no result is worth shortening: 8,000 tokens take more bytes in any language. */
const LIGHT_BYTES = 16_000;

export async function hook(host: string, event: string): Promise<void> {
  // For comparing with and without us, and for a user in a hurry.
  if (process.env["PALIMPSEST_OFF"] === "1") return;
  if (host === "opencode") return (await import("./opencode/companion.ts")).companion();
  const given = readFileSync(0);
  if (isNothingToDo(event, given)) return;
  try {
    const { answerHook } = await import("./answer-hook.ts");
    const said = await answerHook(host, event, given.toString("utf8"));
    if (said !== "") writeAll(said);
  } catch (error) {
    // Not on standard output: the host would read it. Exit 1 is "a warning" nowhere and "blocked" nowhere; 0 is sure.
    process.stderr.write(`palimpsest: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function isNothingToDo(event: string, given: Buffer): boolean {
  if (event === "PostToolUse" || event === "AfterTool") return given.length < LIGHT_BYTES;
  if (event === "PreToolUse" || event === "BeforeTool")
    return !given.includes("ref_") && !given.includes("read_ref");
  // Before every request, and only a compressed conversation has one.
  if (event === "BeforeModel") return !given.includes("<state_snapshot>");
  return false;
}

/** Before the process ends, all of it: a pipe takes 64 KB at a time. */
function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
