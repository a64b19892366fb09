/** As much of OpenCode's plugin API as we use. Declared here, because depending on it for its types would install all of it. */
import type { Json } from "../../transcript/json.ts";

export interface OpenCode {
  readonly directory: string;
  readonly client: {
    readonly session: {
      messages(of: { readonly path: { readonly id: string } }): Promise<{ readonly data?: Json }>;
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

type Hook<Input, Output> = (input: Input, output: Output) => Promise<void>;

export interface Hooks {
  readonly "tool.execute.before"?: Hook<ToolUsed, { readonly args: Json }>;
  readonly "tool.execute.after"?: Hook<ToolUsed, AfterTool>;
  readonly "experimental.session.compacting"?: Hook<
    { readonly sessionID: string },
    { readonly context: string[] }
  >;
  readonly "experimental.chat.system.transform"?: Hook<
    { readonly sessionID?: string },
    { readonly system: string[] }
  >;
}
