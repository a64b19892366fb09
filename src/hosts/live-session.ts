/** Which session a running host is in, noted for whoever it starts: our MCP server, and our other hooks. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { homeFolder, liveFile } from "../home.ts";
import { makeFolder } from "../store/folder.ts";
import { isObject, parseJson } from "../transcript/json.ts";
import type { Told } from "./hook-host.ts";

/** `isInside`: hooks of ours run inside the host; once said, it holds while the host runs. */
export function noteLive({ sessionId, cwd }: Told, isInside: boolean): void {
  const path = livePath();
  if (path === undefined) return;
  const isServed = isInside || isServedInside();
  makeFolder(dirname(path), 0o700);
  const note = { session: sessionId, cwd, ...(isServed ? { isServedInside: true } : {}) };
  writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
}

export function forgetLive(): void {
  const path = livePath();
  if (path !== undefined) rmSync(path, { force: true });
}

/** A plugin may bring both kinds of hooks: where the ones inside run, the others leave the work to them. */
export function isServedInside(): boolean {
  const path = livePath();
  if (path === undefined) return false;
  try {
    const note = parseJson(readFileSync(path, "utf8"));
    return isObject(note) && note["isServedInside"] === true;
  } catch {
    return false;
  }
}

function livePath(): string | undefined {
  const pid = process.env["CLAUDE_PID"];
  return pid === undefined ? undefined : liveFile(homeFolder(process.env), pid);
}
