/**
 * What came of a call, read from the two ends of its output. Every harness says an exit code in its own words, some say
 * none; a result is only taken for a failure where the harness, a code or the head of an error says so.
 */
import { resultText, type ToolResultPart } from "../transcript/message.ts";
import type { ToolUse } from "../transcript/tool-use.ts";

export interface Outcome {
  readonly kind: "done" | "failed" | "denied" | "open";
  readonly exitCode?: number;
  /** What the user said with a denial. */
  readonly userSaid?: string;
}

const END_CHARS = 600;

export function outcomeOf(use: ToolUse, result: ToolResultPart | undefined): Outcome {
  if (!result) return { kind: "open" };
  const text = endsOf(result);
  if (result.isError) {
    const denied = denialIn(text);
    if (denied) return denied;
  }
  const exitCode = use.command === undefined ? undefined : exitCodeIn(text);
  const code = exitCode === undefined ? {} : { exitCode };
  if (result.isError || (exitCode !== undefined && exitCode !== 0)) return { kind: "failed", ...code };
  const isFailing = exitCode === undefined && use.does === "run" && looksFailed(text);
  return { kind: isFailing ? "failed" : "done", ...code };
}

function endsOf(result: ToolResultPart): string {
  const text = resultText(result);
  return text.length <= END_CHARS * 2 ? text : `${text.slice(0, END_CHARS)}\n…\n${text.slice(-END_CHARS)}`;
}

const EXIT_CODE =
  /(?:^Exit code:? |Process exited with code |<returncode>|Command exited with code |completed with exit code |"exit_code": ?|exit code: ?|Exit Code: |exited with (?:status|code) |\(exit code |\[exit code: )(-?\d+)/im;

function exitCodeIn(text: string): number | undefined {
  const found = EXIT_CODE.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Only words of harnesses, at the very beginning of an error: tool output must not speak for the user. */
const DENIALS: readonly RegExp[] = [
  /^The user doesn't want to (?:proceed with|take) this (?:tool use|action)/,
  /^\[?(?:Operation Cancelled|Request interrupted by user|Tool execution aborted)/i,
  /^(?:User (?:denied|rejected|refused)|The user (?:denied|rejected|declined|refused))/i,
  /^(?:exec command |patch )?rejected by user/i,
];

function denialIn(text: string): Outcome | undefined {
  const plain = text.replace(/^(?:<tool_use_error>|Error: )+/, "").trimStart();
  if (!DENIALS.some((pattern) => pattern.test(plain))) return undefined;
  const words = /the user (?:said|provided the following reason(?: for the rejection)?):\s*([\s\S]+)/i.exec(
    plain,
  )?.[1];
  return { kind: "denied", ...(words === undefined ? {} : { userSaid: words.trim() }) };
}

function looksFailed(text: string): boolean {
  return (
    /^(?:error|fatal|bash|sh|zsh|Traceback \(most recent|panic|npm ERR!|npm error)\b/im.test(
      text.slice(0, 200),
    ) ||
    /^(?:npm ERR!|npm error|FAILED\b|FAIL\b|make: \*\*\*|✖ \d+ problem|error: )|[1-9]\d* (?:failed|failing)\b|exited? (?:with )?(?:code|status) [1-9]/im.test(
      text.slice(-END_CHARS),
    )
  );
}
