/**
 * Which conversation a tool call belongs to. A wrong answer would show one session's originals to another, so the surest
 * sign wins: what the call itself says (Codex), then what a hook of ours noted for the process that started us, then the
 * host's environment (Claude Code), and last the session that is at work in this folder.
 */
import { readFileSync } from "node:fs";
import { liveFile } from "../home.ts";
import type { SessionRow, Store } from "../store/store.ts";
import { isObject, type Json, parseJson } from "../transcript/json.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly parentPid: number;
  /** Where hooks note which session a process is in: see `home.ts`. */
  readonly home: string;
  /** Said on the command line or by a header: nothing is guessed. */
  readonly session?: string;
}

export async function whoseSession(
  meta: Json | undefined,
  around: Surroundings,
  store: Store,
): Promise<SessionRow | undefined> {
  const named =
    around.session ??
    around.env["PALIMPSEST_SESSION"] ??
    saidByCall(meta) ??
    noted(around) ??
    hostSession(around);
  if (named !== undefined) return store.session(named);
  return atWorkIn(around.cwd, await store.sessions());
}

/** Codex names the session in every call. */
function saidByCall(meta: Json | undefined): string | undefined {
  if (!isObject(meta)) return undefined;
  const { sessionId, "x-codex-turn-metadata": turn } = meta;
  if (typeof sessionId === "string") return sessionId;
  return isObject(turn) && typeof turn["session_id"] === "string" ? turn["session_id"] : undefined;
}

/** A process id is used again some day; another folder is a sign of that. */
function noted({ home, parentPid, cwd }: Surroundings): string | undefined {
  try {
    const note = parseJson(readFileSync(liveFile(home, parentPid), "utf8"));
    if (!isObject(note) || note["cwd"] !== cwd) return undefined;
    return typeof note["session"] === "string" ? note["session"] : undefined;
  } catch {
    return undefined;
  }
}

function hostSession({ env }: Surroundings): string | undefined {
  return env["CLAUDE_CODE_SESSION_ID"] ?? undefined;
}

function atWorkIn(cwd: string, sessions: readonly SessionRow[]): SessionRow | undefined {
  return sessions
    .filter((session) => session.cwd === cwd && session.endedAt === undefined)
    .reduce<SessionRow | undefined>((a, b) => (a && a.usedAt >= b.usedAt ? a : b), undefined);
}
