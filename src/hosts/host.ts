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
  /** The oldest that doctor was green with; of older ones it says that they are too old. */
  readonly atLeast: string;
  /** A giant result enters the context as a preview and a ref. */
  readonly results: "all" | "all, as an error" | "all, but from scripts";
  /** What the model is sent before the host thinks of compacting. */
  readonly view: "through the ledger" | "the host's own";
  /** What becomes of the host's own compaction. */
  readonly compaction:
    | "ours, no model call"
    | "its own, told what to keep, then our page"
    | "its own, then our page";
  readonly tools: "mcp" | "own";
  /** The agent may ask for a compaction. */
  readonly compacts: "yes" | "in a terminal" | "no";
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
    results: "all",
    view: "the host's own",
    compaction: "ours, no model call",
    tools: "own",
    compacts: "in a terminal",
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
    results: "all, but from scripts",
    view: "the host's own",
    compaction: "its own, then our page",
    tools: "mcp",
    compacts: "no",
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
    results: "all, as an error",
    view: "the host's own",
    compaction: "its own, then our page",
    tools: "mcp",
    compacts: "no",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of Gemini CLI.",
  },
  {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    seen: "1.18.33",
    atLeast: "1.18.3",
    results: "all",
    view: "through the ledger",
    compaction: "its own, told what to keep, then our page",
    tools: "own",
    compacts: "yes",
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
    results: "all",
    view: "through the ledger",
    compaction: "ours, no model call",
    tools: "own",
    compacts: "yes",
    guards: true,
    scopes: ["user", "project"],
    afterwards: "Start a new session of pi; /refs lists what left the context.",
  },
];

/** The same for people, in markdown: `docs/hosts/README.md` has it, and a test compares. */
export function hostTable(): string {
  const rows = hosts.map((host) => [
    `[${host.title}](${host.name}.md)`,
    host.atLeast === host.seen ? host.seen : `${host.seen} (from ${host.atLeast})`,
    host.results,
    host.view,
    host.compaction,
    host.tools === "mcp" ? "MCP" : "its own",
    host.compacts,
    host.guards ? "yes" : "no",
  ]);
  const head = [
    "host",
    "seen with",
    "giant results",
    "what is sent",
    "compaction",
    "tools",
    "`compact`",
    "guard",
  ];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function hostNamed(name: string): Host | undefined {
  return hosts.find((host) => host.name === name);
}
