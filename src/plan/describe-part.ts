/**
 * What a part is, in one line: `File: src/config.ts`, `Command: npx vitest run → 3 failed`. It says what it is and how
 * it ended, not what it says, so that it does not stand in for reading it. Seed 003 measured what this is worth: a
 * model decides by these lines what to read back.
 */
import { describeCall, shorten, shortenMiddle } from "../transcript/describe.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../transcript/message.ts";
import { resultText } from "../transcript/message.ts";
import { type FileUse, toolUse } from "../transcript/tool-use.ts";
import type { RetrievalRule } from "./policy.ts";

/**
 * Kept whole as far as anybody searches by it: commands differ in a flag and paths in their last folder. Where it is shown
 * (stub, table, list) there is less room, and it is shortened in the middle.
 */
const KEPT_CHARS = 240;

/** `semantic`: the three forms of seed 003, which say what failed and not how it ended. */
export type Descriptions = RetrievalRule["descriptions"];

/** @param mate the call of a result, or the result of a call */
export function descriptionOf(
  part: Part,
  mate?: ToolCallPart | ToolResultPart,
  how: Descriptions = "outcome",
): string {
  const call = mate?.type === "tool-call" ? mate : undefined;
  const result = mate?.type === "tool-result" && how === "outcome" ? mate : undefined;
  if (how === "semantic" && part.type === "tool-result") return describePlainly(part, call);
  switch (part.type) {
    case "text":
      return `Text: ${shorten(part.text, 60)}`;
    case "thinking":
      return "Thinking";
    case "tool-call":
      return ended(`Call: ${describeCall(part, KEPT_CHARS)}`, result);
    case "tool-result":
      return describeResult(part, call);
    case "image":
      return "Image";
    case "document":
      return `Document${part.title ? `: ${shorten(part.title)}` : ""}`;
    case "opaque":
      return `Item of ${part.of}`;
  }
}

function describePlainly(result: ToolResultPart, call: ToolCallPart | undefined): string {
  if (result.isError) {
    const lines = resultText(result).trim().split("\n", 5);
    // Some harnesses put the exit code first; what went wrong stands under it.
    const line = lines.find((one) => !/^\s*(?:exit code:? \d+)?\s*$/i.test(one)) ?? lines[0] ?? "";
    return `Error: ${shorten(line.trim().replace(/^error:\s*/i, ""), 60)}`;
  }
  if (!call) return "Result of a tool";
  const what = describeUse(call);
  return what.startsWith("Command: ") ? `Command output: ${what.slice("Command: ".length)}` : what;
}

/** Parts never change, and several rules ask about the same one. */
const endings = new WeakMap<ToolResultPart, { readonly ending: string | undefined }>();

function describeResult(result: ToolResultPart, call: ToolCallPart | undefined): string {
  const known = described.get(result);
  if (known && known.call === call) return known.text;
  const text = ended(call ? describeUse(call) : "Result of a tool", result);
  described.set(result, { call, text });
  return text;
}

/** Told in the stub, and again in the table of what can be read back. */
const described = new WeakMap<ToolResultPart, { readonly call: ToolCallPart | undefined; text: string }>();

/** Equal outputs are one original, described by the first command that printed it: so a call says how it ended, too. */
function ended(what: string, result: ToolResultPart | undefined): string {
  if (!result) return what;
  const known = endings.get(result) ?? { ending: endingOf(result) };
  endings.set(result, known);
  return known.ending === undefined ? what : `${what} → ${known.ending}`;
}

function describeUse(call: ToolCallPart): string {
  const use = toolUse(call);
  const paths = use.files.map(pathOf).join(", ");
  if (use.does === "read" && paths !== "") return `File: ${shortenMiddle(paths, KEPT_CHARS)}`;
  if (use.does === "edit" || use.does === "write")
    return `${use.does === "edit" ? "Edit" : "Write"}: ${shortenMiddle(paths || call.name, KEPT_CHARS)}`;
  if (use.command !== undefined) return `Command: ${shortenMiddle(use.command, KEPT_CHARS)}`;
  return `${LABELS[use.does] ?? "Result"}: ${describeCall(call, KEPT_CHARS)}`;
}

const LABELS: Readonly<Record<string, string>> = {
  search: "Search",
  fetch: "Page",
  plan: "Plan",
  delegate: "Subagent",
  recall: "Recalled",
};

function pathOf({ path, fromLine, toLine }: FileUse): string {
  return fromLine === undefined ? path : `${path}:${fromLine}-${toLine ?? ""}`;
}

/** Exit codes and test counts stand at an end of the output; a megabyte in between is not searched. */
const LOOKED_AT_CHARS = 2_000;

function endingOf(result: ToolResultPart): string | undefined {
  const text = resultText(result);
  const ends =
    text.length <= 2 * LOOKED_AT_CHARS
      ? text
      : `${text.slice(0, LOOKED_AT_CHARS)}\n${text.slice(-LOOKED_AT_CHARS)}`;
  const failed = /\b(\d+) (?:tests? )?failed\b/i.exec(ends)?.[1];
  if (failed !== undefined && failed !== "0") return `${failed} failed`;
  const code = EXIT_CODE.exec(ends)?.[1];
  if (result.isError && (code === undefined || code === "0")) return "error";
  return code === undefined ? undefined : `exit ${code}`;
}

const EXIT_CODE = /(?:\bexit(?:ed)?(?: with)?(?: code| status)?:? |<returncode>|"exit_code":\s*)(\d{1,3})\b/i;
