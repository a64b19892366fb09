/**
 * The calls of one response, one after the other: guarded against stubs, allowed by a person where needed, run, and
 * answered. Every call gets a result, whatever happens, and each result is on disk before anyone is told.
 */
import { guardCall } from "../guard.ts";
import { describeCall, shorten } from "../transcript/describe.ts";
import { type JsonObject, object, string } from "../transcript/json.ts";
import { UNREADABLE } from "./ask.ts";
import type { Spending } from "./budget.ts";
import type { AgentEvent } from "./events.ts";
import { callId } from "./journal.ts";
import type { Thread } from "./thread.ts";
import { type AgentTool, BadCall, type Permit, type ToolAround, type ToolResult } from "./tools/tool.ts";

/** What answering a call takes. */
export interface Answering {
  readonly tools: readonly AgentTool[];
  readonly spending: Spending;
  readonly permit: Permit;
  readonly signal: AbortSignal;
  readonly aroundCall: (callId: string) => ToolAround;
}

export interface Calling extends Answering {
  readonly thread: Thread;
  readonly onEvent: (event: AgentEvent) => void;
  /** Told of each call and how it went, for the footprint. */
  readonly onDone: (line: string) => void;
}

export async function runCalls(calls: readonly JsonObject[], calling: Calling): Promise<void> {
  for (const part of calls) {
    const call = callOf(part);
    const { id: callId, name } = call;
    const what = describeCall({ type: "tool-call", callId, name, input: call.input });
    calling.onEvent({ type: "call", callId, name, what });
    const { text, isError = false } = await resultOf(call, calling);
    await calling.thread.result(resultPart(call, { text, isError }));
    calling.onDone(`${what} → ${isError ? `failed: ${shorten(lastLine(text))}` : "ok"}`);
    calling.onEvent({ type: "result", callId, name, text, isError });
  }
}

/** One call outside the conversation: nobody is told, nothing is recorded. */
export async function answerCall(part: JsonObject, answering: Answering): Promise<JsonObject> {
  const call = callOf(part);
  return resultPart(call, await resultOf(call, answering));
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

function callOf(part: JsonObject): Call {
  return { id: callId(part), name: string(part["toolName"]) ?? "", input: object(part["input"]) };
}

async function resultOf(call: Call, calling: Answering): Promise<ToolResult> {
  const { name, input } = call;
  if (calling.signal.aborted) return failed("Not run: the user interrupted.");
  const stubbed = guardCall({ name, input });
  if (stubbed) return failed(stubbed.text);
  if (UNREADABLE in input) return failed("Not run: the arguments were not a JSON object. Call it again.");
  const tool = calling.tools.find((candidate) => candidate.name === name);
  if (!tool)
    return failed(
      `There is no tool "${name}". There are: ${calling.tools.map((one) => one.name).join(", ")}.`,
    );
  if (!calling.spending.takeCall()) return failed("Not run: the budget of tool calls is used up.");
  try {
    return (await denied(tool, call, calling)) ?? (await tool.run(input, calling.aroundCall(call.id)));
  } catch (error) {
    // A model can recover from anything it is told about.
    const why = error instanceof Error ? error.message : String(error);
    return failed(error instanceof BadCall ? why : `${name} failed: ${why}`);
  }
}

/** Why a person does not want it; undefined where nobody has to be asked, or it was allowed. */
async function denied(
  tool: AgentTool,
  { id, input }: Call,
  calling: Answering,
): Promise<ToolResult | undefined> {
  const asked = await tool.asks?.(input, calling.aroundCall(id));
  if (!asked) return undefined;
  const permission = await calling.permit({ ...asked, tool: tool.name });
  if (permission.kind === "yes") return undefined;
  const reason = permission.reason === undefined ? "" : ` ${permission.reason}`;
  return failed(`Not allowed: ${asked.what}.${reason}`);
}

/** For calls that a process left behind when it ended. */
export function unknownEnd(part: JsonObject): JsonObject {
  const text =
    "The process ended before this call was answered. It may have run, whole or in part: look before you call it again.";
  return resultPart(callOf(part), failed(text));
}

function resultPart({ id, name }: Call, { text, isError = false }: ToolResult): JsonObject {
  const value = text.trim() === "" ? "(no output)" : text;
  const output = { type: isError ? "error-text" : "text", value };
  return { type: "tool-result", toolCallId: id, toolName: name, output };
}

function failed(text: string): ToolResult {
  return { text, isError: true };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
