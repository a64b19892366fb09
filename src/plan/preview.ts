/**
 * What to show of a giant result instead of all of it, made for its kind: of a test run the failures and the closing
 * counts, of JSON its shape, of a file an outline with line numbers, of a log the errors and the end, of a diff its
 * files and hunks, of anything else head and tail. Every line shown is a line that was there, or says what is not.
 */
import { resultText, type ToolCallPart, type ToolResultPart } from "../transcript/message.ts";
import { toolUse } from "../transcript/tool-use.ts";
import { diffPreview } from "./previews/diff.ts";
import { endsOf, startOf } from "./previews/ends.ts";
import { jsonPreview } from "./previews/json-shape.ts";
import { logPreview } from "./previews/log.ts";
import { outlinePreview } from "./previews/outline.ts";
import { testRunPreview } from "./previews/test-run.ts";

export interface PreviewOptions {
  readonly maxTokens: number;
}

const DEFAULT: PreviewOptions = { maxTokens: 2_000 };

/** Undefined where there is no text to show. */
export function previewOf(
  result: ToolResultPart,
  call?: ToolCallPart,
  { maxTokens }: PreviewOptions = DEFAULT,
): string | undefined {
  const text = resultText(result);
  if (text.trim() === "") return undefined;
  const made = previewByKind(text, call, maxTokens);
  if (made !== undefined) return startOf(made, maxTokens);
  return endsOf(text, { headTokens: maxTokens * 0.6, tailTokens: maxTokens * 0.4 });
}

/** The first kind that the text is. Each looks for itself and says nothing where it is not its kind. */
function previewByKind(text: string, call: ToolCallPart | undefined, maxTokens: number): string | undefined {
  const use = call && toolUse(call);
  if (use?.does === "read") {
    const [file] = use.files;
    const firstLine = use.files.length === 1 ? (file?.fromLine ?? 1) : 1;
    if (/\.(log|out|err)$/.test(file?.path ?? "")) return logPreview(text, { maxTokens });
    return jsonPreview(text) ?? outlinePreview(text, { firstLine, maxTokens });
  }
  return (
    testRunPreview(text, { command: use?.command ?? "", maxTokens }) ??
    jsonPreview(text) ??
    diffPreview(text) ??
    (use?.does === "search" ? undefined : logPreview(text, { maxTokens }))
  );
}
