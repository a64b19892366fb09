/** As much of OpenCode's plugin API as we use. Declared here, because depending on it for types would install all of it. */
import type { Json, JsonObject } from "../../transcript/json.ts";

export interface OpenCode {
  readonly directory: string;
  readonly client: {
    readonly session: {
      messages(of: { readonly path: { readonly id: string } }): Promise<{ readonly data?: Json }>;
    };
    readonly config: { providers(): Promise<{ readonly data?: Json }> };
    readonly tui: {
      showToast(toast: {
        readonly body: { readonly message: string; readonly variant: "info" };
      }): Promise<unknown>;
    };
  };
}

export interface ToolUsed {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
  readonly args?: Json;
}

/** Of a built-in tool its output, of an MCP tool the protocol's own content. */
export interface AfterTool {
  output?: string;
  readonly metadata?: { readonly outputPath?: unknown };
  content?: { readonly type: string; readonly text?: string }[];
}

/** `{ info, parts }`, as OpenCode stores them. */
export interface Listed {
  readonly messages: JsonObject[];
}

export interface OwnTool {
  readonly description: string;
  /** Zod, or plain JSON Schema by property. */
  readonly args: JsonObject;
  execute(args: JsonObject, context: { readonly sessionID: string }): Promise<string>;
}

type Hook<Input, Output> = (input: Input, output: Output) => Promise<void>;

export interface Hooks {
  readonly event?: (input: { readonly event: JsonObject }) => Promise<void>;
  readonly tool?: Readonly<Record<string, OwnTool>>;
  readonly "tool.definition"?: Hook<{ readonly toolID: string }, { jsonSchema?: Json }>;
  readonly "tool.execute.before"?: Hook<ToolUsed, { readonly args: Json }>;
  readonly "tool.execute.after"?: Hook<ToolUsed, AfterTool>;
  readonly "experimental.session.compacting"?: Hook<
    { readonly sessionID: string },
    { readonly context: string[] }
  >;
  readonly "experimental.chat.messages.transform"?: Hook<unknown, Listed>;
  readonly "experimental.chat.system.transform"?: Hook<
    { readonly sessionID?: string },
    { readonly system: string[] }
  >;
}
