/**
 * The lines of an output that say what went wrong, verbatim. Looked for in a bounded head and tail, strongest first:
 * the head of an exception, a compiler's message, an assertion, then anything that reads like a complaint.
 */
import { oneLine } from "./line.ts";

const HEAD_CHARS = 24_000;
const TAIL_CHARS = 40_000;
const MAX_LINES = 3;
const MAX_CHARS = 260;

/** In the order of how much they say. */
const TELLING: readonly RegExp[] = [
  /^\s*(?:Uncaught |E\s+)?(?:[\w.]*(?:Error|Exception|Failure|Panic)|panic|fatal|error\[\w+\])(?:\s\[\w+\])?: ?\S/,
  /^(?!.*[Ww]arning:)\S+?[:(]\d+(?:[:,]\d+)?\)?:? .*\S|\berror TS\d+/,
  /^\s*[^\s=!].* !==? .+|^\s*(?:Expected|expected|Received|actual|assert)\b.*[:=]/,
  /^\s*(?:not ok \d+|✖|✗|×|FAIL|FAILED|--- FAIL|E {2,}).*\S/,
  /^\s*[-+] {2,}\S|^\s*[-+] ['"]\S/,
  /\b(?:error|cannot|can't|could not|unable to|no such file|not found|denied|refused|timed out|invalid|missing|undefined|unknown|does not exist|failed|conflict)\b/i,
];

const NOISE =
  /^\s*(?:Exit code \d+|<\/?(?:returncode|output|warning|tool_use_error)\b.*|Chunk ID:.*|Wall time:.*|Process exited.*|Original token count.*|Output:|Command exited.*|\[stderr\]|TAP version.*|> .*|at .*|\^+|[-=~━─*_ ]+|ok \d+.*|# .*|duration_ms.*|Node\.js v.*|node:.*|throw .*|code: .*|\d+\.\.\d+|error: \|-|(?:expected|actual|stack|error|name):.{0,2}|Emitted .*|.{0,60}Expected values to be (?:strictly |loosely )?(?:deep-)?equal:)\s*$/;

export function errorLinesOf(output: string): readonly string[] {
  const lines = linesOf(output);
  const picked = new Set<string>();
  for (const pattern of TELLING) {
    for (const line of lines) {
      if (picked.size >= MAX_LINES) break;
      if (pattern.test(line) && !NOISE.test(line)) picked.add(oneLine(line, MAX_CHARS));
    }
  }
  const first = picked.size === 0 ? lines.find((line) => !NOISE.test(line)) : undefined;
  if (first !== undefined) picked.add(oneLine(first, MAX_CHARS));
  return [...picked];
}

function linesOf(output: string): readonly string[] {
  const text =
    output.length <= HEAD_CHARS + TAIL_CHARS
      ? output
      : `${output.slice(0, HEAD_CHARS)}\n${output.slice(-TAIL_CHARS)}`;
  const isColoured = text.includes("\u001b");
  return text
    .replaceAll(/<\/?tool_use_error>/g, "")
    .split(/\r?\n|\r/)
    .map((line) => {
      const start = line.slice(0, MAX_CHARS * 2);
      return isColoured ? start.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "") : start;
    })
    .filter((line) => line.trim() !== "");
}
