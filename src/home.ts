/** Where everything of ours lives on this machine. Imported by hooks, so it imports next to nothing. */
import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export function homeFolder(env: Environment): string {
  // Set to nothing is not set: the store would be wherever one happens to be.
  const named = env["PALIMPSEST_HOME"] || "~/.palimpsest";
  // Settings files and quotes hand the tilde on; a folder of that name is never meant.
  return /^~(?=$|[/\\])/.test(named) ? join(homedir(), named.slice(1)) : named;
}

export function storeFile(env: Environment): string {
  return join(homeFolder(env), "store.db");
}

/**
 * A host that switches sessions without restarting its MCP servers (`/clear`, `/resume`) is followed through this file: a
 * hook writes which session the process is in, the server that the same process started reads it.
 */
export function liveFile(home: string, pid: number | string): string {
  return join(home, "live", `${pid}.json`);
}
