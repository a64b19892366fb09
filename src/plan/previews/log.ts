/** A log, or the output of a long command: the lines that tell of errors and warnings, and the end. */
import { lastLines, showLines, withFollowing } from "./shown-lines.ts";

const TELLING =
  /\b(error|errors|fatal|panic|exception|traceback|failed|failure|denied|refused|timed out|timeout|critical|warn(ing)?|segfault|oom|cannot|unable)\b/i;
const FOLLOWING = 2;
const HEAD_LINES = 5;
const MIN_LINES = 40;
const TAIL_LINES = 40;

/** Text with few lines is no log. */
export function logPreview(text: string, { maxTokens }: { readonly maxTokens: number }): string | undefined {
  const lines = text.trimEnd().split("\n");
  if (lines.length < MIN_LINES) return undefined;
  const end = lastLines(lines, { maxLines: TAIL_LINES, maxTokens: maxTokens / 2 });
  const before = lines.slice(0, end.from);
  const telling = before.flatMap((line, index) =>
    index < HEAD_LINES || TELLING.test(line.slice(0, 400)) ? [index] : [],
  );
  const shown = withFollowing(telling, FOLLOWING, before.length);
  return `${showLines({ lines: before, shown, maxTokens: maxTokens / 2, isNumbered: true })}\nIts end:\n${end.text}`;
}
