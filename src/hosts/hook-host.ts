/**
 * What hosts with hook processes have in common: the moments, and what is said at each. A host's own file translates
 * between its JSON and these; it decides nothing.
 */
import { defined, type Json, type JsonObject } from "../transcript/json.ts";
import type { ToolCallPart } from "../transcript/message.ts";
import type { HostName } from "./host.ts";

export type Moment =
  | "session-start"
  | "session-end"
  | "before-tool"
  | "after-tool"
  | "maybe-compaction"
  | "before-compaction"
  | "compaction"
  | "own-tool"
  | "after-compaction"
  | "summarized";

/** What a hook is told, in neutral words; `raw` rides along. */
export interface Told {
  readonly event: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly transcriptPath: string | undefined;
  /** The session a subagent's session works for. */
  readonly parent?: string;
  readonly raw: JsonObject;
}

/** A result that was just born: what the tool was asked and what it said. */
export interface Born {
  readonly call: ToolCallPart;
  readonly text: string;
  readonly isError?: boolean;
}

export interface HookHost {
  readonly name: HostName;
  /** Its hooks run inside the host and ask us only when there is something to do. */
  readonly isInside?: true;
  /** Undefined where an event needs nothing from us. */
  moment(told: Told): Moment | undefined;
  callOf(told: Told): ToolCallPart;
  /** What a host that asks is told when a session starts. */
  started?(): Promise<Json>;
  /** Undefined where the shape is not known: then the result stays as it is. */
  born(told: Told): Born | undefined;
  /** The answer that puts `text` in the place of the result. */
  shortened(told: Told, text: string): Json;
  /** The answer that refuses a call. */
  refused(told: Told, why: string): Json;
  /** The answer that gives the host's own summarizer more to go by; undefined where it takes none. */
  instructed(text: string): Promise<Json | undefined>;
  /** The answer that puts text into the context. */
  injected(told: Told, text: string, notice: string): Json;
  /** What may be injected after a compaction, in tokens. */
  readonly pageTokens: number;
}

export function toldBy(event: string, raw: JsonObject): Told {
  const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : undefined);
  return {
    event,
    sessionId: text("session_id") ?? "",
    cwd: text("cwd") ?? process.cwd(),
    transcriptPath: text("transcript_path"),
    ...defined({ parent: text("parent_id") }),
    raw,
  };
}

/** The call as Claude Code, Codex and Gemini CLI all spell it for hooks. */
export function callIn({ raw }: Told): ToolCallPart {
  const { tool_name: name, tool_use_id: id, tool_input: input } = raw;
  return {
    type: "tool-call",
    callId: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    input: input ?? {},
  };
}
