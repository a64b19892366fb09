/**
 * The hosts we run inside, and what each lets us do: one table, so that what is promised (docs, doctor, README) and what is
 * done come from the same place. Each line was seen with the version named, in the conformance suite.
 */
export type HostName = "claude-code" | "codex" | "gemini-cli" | "opencode" | "pi";

export interface Host {
  readonly name: HostName;
  readonly title: string;
  /** What the user types. */
  readonly program: string;
  /** Seen to work with this version. */
  readonly seen: string;
  /** Older ones do not have what we need. */
  readonly atLeast: string;
  /** A giant result enters the context as a preview and a ref. */
  readonly shortensResults: "known tools" | "all" | "as an error";
  /** What we add to the host's own compaction. */
  readonly compaction:
    | "instructions and a page"
    | "a page"
    | "context"
    | "taken over, no model call"
    | "nothing";
  readonly tools: "mcp" | "own";
  /** A call that would write a stub into a file is refused. */
  readonly guards: boolean;
  readonly scopes: readonly ("user" | "project")[];
  /** What the user should know after installing. */
  readonly afterwards: string;
}

export const hosts: readonly Host[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    seen: "2.1.326",
    atLeast: "2.1.121",
    shortensResults: "known tools",
    compaction: "instructions and a page",
    tools: "mcp",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of Claude Code.",
  },
  {
    name: "codex",
    title: "Codex",
    program: "codex",
    seen: "0.169.0",
    atLeast: "0.169.0",
    shortensResults: "all",
    compaction: "a page",
    tools: "mcp",
    guards: true,
    scopes: ["user"],
    afterwards: "Codex runs no hook you have not trusted: start it, type /hooks, and trust these five.",
  },
  {
    name: "gemini-cli",
    title: "Gemini CLI",
    program: "gemini",
    seen: "0.61.0",
    atLeast: "0.61.0",
    shortensResults: "as an error",
    compaction: "nothing",
    tools: "mcp",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of Gemini CLI.",
  },
  {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    seen: "1.18.33",
    atLeast: "1.18.0",
    shortensResults: "all",
    compaction: "instructions and a page",
    tools: "mcp",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of OpenCode.",
  },
  {
    name: "pi",
    title: "pi",
    program: "pi",
    seen: "0.87.1",
    atLeast: "0.87.0",
    shortensResults: "all",
    compaction: "taken over, no model call",
    tools: "own",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of pi; /refs lists what left the context.",
  },
];

export function hostNamed(name: string): Host | undefined {
  return hosts.find((host) => host.name === name);
}
