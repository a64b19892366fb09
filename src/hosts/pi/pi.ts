/** As much of pi's extension API as we use. Declared here, because depending on pi for its types would install all of it. */
import type { Json, JsonObject } from "../../transcript/json.ts";

export interface Pi {
  on(event: "session_start" | "session_shutdown", handler: Handler<unknown>): void;
  on(event: "tool_call", handler: Handler<{ readonly toolName: string; readonly input: Json }>): void;
  on(event: "tool_result", handler: Handler<PiResult>): void;
  on(event: "context", handler: Handler<{ readonly messages: readonly Json[] }>): void;
  on(event: "session_before_compact", handler: Handler<PiCompacting>): void;
  registerTool(tool: PiTool): void;
  registerCommand(name: string, command: PiCommand): void;
  getAllTools(): readonly PiNamed[];
  getCommands(): readonly PiNamed[];
}

/** What an extension brought, and the file it is from. */
export interface PiNamed {
  readonly sourceInfo?: { readonly path?: string };
}

export type Handler<Event> = (event: Event, context: PiContext) => Promise<unknown>;

export interface PiContext {
  readonly cwd: string;
  readonly model?: { readonly id: string; readonly contextWindow: number } | undefined;
  readonly sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
  readonly ui: { notify(message: string, level: "info" | "warning"): void };
}

export interface PiText {
  readonly type: "text";
  readonly text: string;
}

export interface PiResult {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: Json;
  readonly content: readonly (PiText | { readonly type: "image" })[];
  readonly details?: { readonly fullOutputPath?: unknown } | undefined;
}

export interface PiCompacting {
  readonly preparation: { readonly firstKeptEntryId: string; readonly tokensBefore: number };
  readonly customInstructions?: string;
}

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonObject;
  execute(
    id: string,
    input: JsonObject,
    signal: unknown,
    update: unknown,
    context: PiContext,
  ): Promise<{ readonly content: readonly PiText[]; readonly details: undefined }>;
}

export interface PiCommand {
  readonly description: string;
  handler(words: string, context: PiContext): Promise<void>;
}
