/** The messages of a mini-swe-agent file, in the three shapes its models write. See `mini-swe-agent.ts`. */
import { defined, type JsonObject, list, number, object, string } from "../transcript/json.ts";
import type { Message, Part, Role } from "../transcript/message.ts";
import { placed, readChatContent, readChatMessage, readChatText, readChatUsage } from "./chat-completion.ts";
import { readItem } from "./openai-items.ts";
import type { Spot } from "./session-file.ts";
import { actionParts, type Block, fencedBlocks } from "./text-actions.ts";

/** Which step a message is of, "" for none: written where steps before it left, so that it is still read as it was. */
export const STAMP = "palimpsest_step";

/** Written beside a failed result that was shortened. */
export const FAILED = "palimpsest_failed";

/** Which calls wait for their answer. */
interface State {
  readonly open: string[];
  steps: number;
  /** The response before had no readable command: whatever comes back says so. */
  isAttempt: boolean;
}

export function readMessages(records: readonly JsonObject[], wire: string): readonly Message[] {
  const state: State = { open: [], steps: 0, isAttempt: false };
  return records.map((record, index): Message => {
    const spot = { line: 1, path: ["messages", index] };
    const role = roleOf(record);
    const stamp = stampOf(record);
    const isAnswered =
      stamp === undefined ? index === records.length - 1 || isAnswer(records[index + 1]) : stamp !== "";
    if (stamp) state.steps = Math.max(state.steps, Number(stamp.slice("step-".length)) || 0);
    const parts =
      role === "assistant"
        ? responseParts(record, spot, { state, isAnswered })
        : answerParts(record, spot, state);
    return { role, parts, ...factsOf(record, role), native: { of: wire, value: [1] } };
  });
}

function stampOf(record: JsonObject): string | undefined {
  return string(object(record["extra"])[STAMP]);
}

/** The one block that is the command: `bash` in v1, a name of its own in v2, so that prose may show code. */
export function commandFence(content: string): readonly Block[] {
  const named = fencedBlocks(content, /```mswea_bash_command\s*\n/);
  return named.length > 0 ? named : fencedBlocks(content, /```bash\s*\n/);
}

function roleOf(record: JsonObject): Role {
  if (record["object"] === "response") return "assistant";
  if (record["type"] === "function_call_output") return "tool";
  const { role } = record;
  return role === "assistant" || role === "system" || role === "tool" ? role : "user";
}

function factsOf(record: JsonObject, role: Role): Partial<Message> {
  const extra = object(record["extra"]);
  const response = record["object"] === "response" ? record : object(extra["response"]);
  const seconds = number(extra["timestamp"]) ?? number(response["created"]) ?? number(response["created_at"]);
  const at = seconds === undefined ? undefined : Math.round(seconds * 1000);
  if (role !== "assistant") return defined({ at });
  const usage = readChatUsage(object(response["usage"]));
  const costUsd = usage?.costUsd ?? number(extra["cost"]);
  return defined({
    at,
    model: string(response["model"]),
    usage: usage && { ...usage, ...defined({ costUsd }) },
  });
}

function isAnswer(record: JsonObject | undefined): boolean {
  return record !== undefined && ["user", "tool"].includes(roleOf(record)) && !isHuman(record);
}

/** Rejections, comments and new tasks hold what the person typed. */
function isHuman(record: JsonObject): boolean {
  const kind = object(record["extra"])["interrupt_type"];
  if (kind !== undefined) return kind === "UserInterruption";
  const text = string(record["content"]) ?? "";
  return /^\s*(Command (not executed|rejected)|Interrupted|The user |User command:|Switching to)/i.test(text);
}

function responseParts(
  record: JsonObject,
  spot: Spot,
  { state, isAnswered }: { readonly state: State; readonly isAnswered: boolean },
): readonly Part[] {
  const parts = record["object"] === "response" ? itemParts(record, spot) : readChatMessage(record, spot);
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  state.open.splice(0, state.open.length, ...calls);
  const content = string(record["content"]);
  if (calls.length > 0 || content === undefined || !isAnswered) return parts;
  const callId = stampOf(record) ?? `step-${++state.steps}`;
  state.open.push(callId);
  state.isAttempt = commandFence(content).length !== 1;
  const action = { content, spot: { line: 1, path: [...spot.path, "content"] }, fence: commandFence };
  const thinking = parts.filter((part) => part.type === "thinking");
  return [...thinking, ...actionParts(action, { callId, nameOf: () => "bash" })];
}

/** A whole response of the Responses API: its items are what is sent back. */
function itemParts(record: JsonObject, spot: Spot): readonly Part[] {
  return list(record["output"]).flatMap((item, index) =>
    readItem(item).map(({ part, path }) => placed(part, spot, ["output", index, ...path])),
  );
}

function answerParts(record: JsonObject, spot: Spot, state: State): readonly Part[] {
  const callId = string(record["tool_call_id"]) ?? string(record["call_id"]) ?? stepAnswered(record, state);
  if (callId === undefined) return spokenParts(record, spot);
  if (state.open.includes(callId)) state.open.splice(state.open.indexOf(callId), 1);
  const key = record["type"] === "function_call_output" ? "output" : "content";
  const output = readChatContent(record[key]);
  const isError = state.isAttempt || isFailure(record);
  state.isAttempt = false;
  return [placed({ type: "tool-result", callId, output, isError }, spot, [key])];
}

/** A message that names no call answers the command before it; the last word of the file answers any call. */
function stepAnswered(record: JsonObject, state: State): string | undefined {
  const [open] = state.open;
  const stamp = stampOf(record);
  if (stamp !== undefined) return stamp || undefined;
  if (record["role"] === "exit") return open;
  return open?.startsWith("step-") && record["role"] === "user" && !isHuman(record) ? open : undefined;
}

/** Words: the task, what a person said later; or, marked as such, what only the harness says. */
function spokenParts(record: JsonObject, spot: Spot): readonly Part[] {
  const isHarness =
    record["role"] === "exit" ||
    object(record["extra"])["palimpsest_page"] === true ||
    (object(record["extra"])["interrupt_type"] && !isHuman(record));
  return readChatText(record, spot).map((part) =>
    part.type === "text" && isHarness ? { ...part, synthetic: true } : part,
  );
}

function isFailure(record: JsonObject): boolean {
  const extra = object(record["extra"]);
  if (extra[FAILED] === true) return true;
  if (record["role"] === "exit") return extra["exit_status"] !== "Submitted";
  if (extra["exception_info"]) return true;
  const text = string(record["content"]) ?? "";
  const code = number(extra["returncode"]) ?? /^\s*<returncode>\s*(-?\d+)/.exec(text)?.[1];
  return code === undefined ? /^The last command .* timed out/s.test(text) : Number(code) !== 0;
}
