/** What `palimpsest hook` is, for whoever asks. Hosts come in by `bin.ts`, past all of this. */
import { usageError } from "./arguments.ts";
import type { Command } from "./main.ts";

const HELP = `palimpsest hook <host> <event>

What a host starts at every tool call and every turn in a session's life, with the event as
JSON on standard input; the answer, if there is one, is JSON on standard output. "palimpsest
install" writes these lines into the host's settings; there is nothing to call by hand.
It exits with 0 whatever happens: a hook may fail, the agent may not.

  <host>          claude-code, codex, gemini-cli, opencode
  <event>         as the host calls it: SessionStart, PreToolUse, PostToolUse, PreCompact, …
  PALIMPSEST_OFF=1  does nothing, for comparing with and without

Examples
  palimpsest install claude-code
  echo '{"session_id":"s","tool_name":"Bash", …}' | palimpsest hook claude-code PostToolUse
`;

async function run(): Promise<number> {
  throw usageError("Which host, and which event?", "hook");
}

export const hook: Command = { name: "hook", summary: "what a host starts", help: HELP, run };
