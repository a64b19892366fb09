/** A test run: what failed, with the lines that say why, and the counts at the end. */
import { lastLines, showLines, withFollowing } from "./shown-lines.ts";

const RUNNER =
  /\b(vitest|jest|mocha|ava|pytest|py\.test|unittest|tox|rspec|phpunit|ctest|tap|karma|playwright|cypress)\b|\b(go|cargo|deno|bun|swift|dotnet|mix|gradle\w*|mvn|make|npm|pnpm|yarn)\b.*\btest\b|runtests/i;
const COUNTS =
  /\b\d+ (passed|failed|failing|passing|errors?|failures?|skipped)\b|\btest result:|^(FAIL|ok)\s+\S+\s+[\d.]+s|^Ran \d+ tests|^(Tests|Test Files|Test Suites):?\s/im;
const FAILURE =
  /^\s*(FAIL|FAILED|✗|✘|×|✕|not ok\b|---\s*FAIL|ERROR\b|E\s{2,})|\b(AssertionError|panicked at|Traceback|FAILED|Error:|Exception:)/;

/** The lines after a failure that belong to it: the message, the expected and the actual, the first frame. */
const FOLLOWING = 8;
const CLOSING_LINES = 12;

export function testRunPreview(
  text: string,
  { command, maxTokens }: { readonly command: string; readonly maxTokens: number },
): string | undefined {
  if (!COUNTS.test(text.slice(-4_000)) && !(RUNNER.test(command) && COUNTS.test(text.slice(0, 50_000))))
    return undefined;
  const lines = text.trimEnd().split("\n");
  const end = lastLines(lines, { maxLines: CLOSING_LINES, maxTokens: maxTokens / 3 });
  const before = lines.slice(0, end.from);
  const failures = before.flatMap((line, index) => (FAILURE.test(line.slice(0, 400)) ? [index] : []));
  const shown = withFollowing(failures, FOLLOWING, before.length);
  if (shown.length === 0) return `Test run, no failures found; its end:\n${end.text}`;
  const why = showLines({ lines: before, shown, maxTokens: (maxTokens * 2) / 3 });
  return `Test run; its end:\n${end.text}\n\nFailures:\n${why}`;
}
