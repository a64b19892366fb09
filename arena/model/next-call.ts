/** Would it do next what the agent did next? Same tool, same target: a cheap look at behaviour. */
import { type Message, type ToolCallPart, toolUse } from "palimpsest";
import type { Asking } from "./recall.ts";
import type { Seen } from "./seen.ts";

export interface NextCall {
  readonly isSameTool: boolean;
  readonly isSameTarget: boolean;
}

const SYSTEM = `You are a coding agent in the middle of your work. Below is your context. Which single tool call do you make next? Answer in two lines:
TOOL: <name>
TARGET: <the path, command or pattern it is about>`;

/** Undefined where the next message makes no call. */
export async function nextCall(
  next: Message | undefined,
  { seen, tools }: { readonly seen: Seen; readonly tools: readonly string[] },
  { asker, replicate }: Asking,
): Promise<NextCall | undefined> {
  const call = next?.parts.find((part) => part.type === "tool-call");
  if (!call) return undefined;
  const { text } = await asker.ask({
    ...{ about: "next call", system: SYSTEM, replicate, store: seen.store },
    prompt: `<context>\n${seen.text}\n</context>\n\nYour tools: ${tools.join(", ")}. What is your next call?`,
  });
  const said = (field: string) =>
    new RegExp(`${field}:\\s*(.+)`, "i").exec(text)?.[1]?.trim().replaceAll(/[`"']/g, "") ?? "";
  const isSameTool = said("TOOL").toLowerCase() === call.name.toLowerCase();
  return { isSameTool, isSameTarget: isSameTool && isTarget(said("TARGET"), call) };
}

/** A file by its last part, a command by how it begins. */
function isTarget(said: string, call: ToolCallPart): boolean {
  const { files, command } = toolUse(call);
  const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  if (files.some(({ path }) => base(path) === base(said) && base(said) !== "")) return true;
  const start = (text: string) => text.trim().split(/\s+/).slice(0, 2).join(" ");
  return command !== undefined && said !== "" && start(command) === start(said);
}
