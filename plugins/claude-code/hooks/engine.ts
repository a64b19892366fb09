/**
 * As much of Claude Code's function hooks (2.1.287 and later, early access) as we use. Declared here, because the host writes
 * its own declarations only into folders somebody is working in.
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [key: string]: Value };
export type Fields = { readonly [key: string]: Value };

export interface Engine {
  readonly session: {
    id(): Promise<string>;
    cwd(): Promise<string>;
    model(): Promise<string>;
    info(): Promise<{ readonly transcriptPath: string }>;
    usage(): Promise<{ readonly context: { readonly tokens?: number; readonly window?: number } }>;
    messages(of: { readonly as: "api"; readonly agentId?: string }): Promise<Value>;
    compact(how: { readonly instructions?: string }): Promise<{ readonly skip?: string }>;
  };
  readonly tool: {
    register(tool: {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: Fields;
      readonly isDeferred: false;
    }): Promise<unknown>;
  };
  readonly command: {
    register(command: { readonly name: string; readonly description: string }): Promise<unknown>;
  };
  readonly process: {
    run(
      argv: readonly string[],
      how: { readonly stdin: string; readonly env: Record<string, string>; readonly timeoutMs: number },
    ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
    hookEnv(): Promise<Record<string, string>>;
  };
  readonly env: { get(name: string): Promise<string | undefined> };
  readonly ui: { log(text: string): void };
}

/** What is asked about one loop of the session: the main one, or a subagent's. */
interface Loop {
  readonly agentId?: string;
}

export interface Block {
  readonly type: string;
  readonly [field: string]: Value;
}

export interface Events {
  "session.start": [{ readonly isInteractive?: boolean }, unknown];
  "session.end": [{ readonly sessionId: string }, unknown];
  "turn.complete": [Loop, unknown];
  "tool.check": [Loop & ToolAsked, { readonly decision: "allow" | "ask" | "deny"; readonly reason?: string }];
  "tool.run": [Loop & ToolRun, { readonly result: string | readonly Value[] } | { readonly deny: string }];
  "tool.list": [unknown, { readonly value: readonly { readonly name: string }[] }];
  "command.run": [{ readonly args?: string }, { readonly text: string }];
  "session.append": [Loop & Appended, unknown];
  "session.compact": [Compacting, Compacted];
  /** Raised by the engine's own compaction, around the hooks of the user's settings. */
  "classic.PreCompact": [{ readonly agent_id?: string }, { readonly block?: string }];
  "classic.SessionStart": [{ readonly source: string }, { readonly additionalContext?: readonly string[] }];
}

export interface Compacting extends Loop {
  readonly trigger: string;
  readonly instructions?: string;
  readonly messages: readonly Fields[];
}

export type Compacted = { readonly messages: readonly Value[] } | { readonly skip: string };

interface ToolAsked {
  readonly tool: string;
  readonly tool_use_id?: string;
  readonly input: Fields;
}

/** The arguments stand beside the name. */
interface ToolRun {
  readonly tool: string;
  readonly tool_use_id: string;
  readonly [argument: string]: Value;
}

export interface Appended {
  readonly origin: { readonly kind: string; readonly tool?: string };
  readonly message: { readonly content: readonly Block[]; readonly [field: string]: Value };
}

export type Next<Name extends keyof Events> = (event: Events[Name][0]) => Promise<Events[Name][1]>;
type Hook<Name extends keyof Events> = (
  $: Engine,
  event: Events[Name][0],
  next: Next<Name>,
) => Promise<Events[Name][1]>;

/** A matcher is any of the event's fields, by value. */
export interface On {
  <Name extends keyof Events>(event: Name, hook: Hook<Name>): void;
  <Name extends keyof Events>(event: Name, matcher: Fields, hook: Hook<Name>): void;
}

export type Register = (on: On) => void;
