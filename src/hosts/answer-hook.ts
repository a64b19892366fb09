/**
 * The full path of a hook: what happens at each moment of a session. Fails open, and says so once in a session: a user who
 * is told at every tool call stops reading.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { guardCall } from "../guard.ts";
import { homeFolder, liveFile, storeFile } from "../home.ts";
import { isObject, type Json, parseJson } from "../transcript/json.ts";
import { claudeCodeHooks } from "./claude-code/hooks.ts";
import { codexHooks } from "./codex/hooks.ts";
import { geminiCliHooks } from "./gemini-cli/hooks.ts";
import type { HookHost, Moment, Told } from "./hook-host.ts";
import { toldBy } from "./hook-host.ts";
import { withStore } from "./store-of.ts";

const hookHosts: readonly HookHost[] = [claudeCodeHooks, codexHooks, geminiCliHooks];

/** What the host is answered, on standard output; empty for "go on". */
export async function answerHook(hostName: string, event: string, given: string): Promise<string> {
  const host = hookHosts.find(({ name }) => name === hostName);
  const raw = parseJson(given);
  if (!host || !isObject(raw)) return "";
  const told = toldBy(event, raw);
  const moment = host.moment(told);
  if (moment === undefined || told.sessionId === "") return "";
  try {
    const answer = await answers[moment](host, told);
    return typeof answer === "string" ? answer : answer === undefined ? "" : JSON.stringify(answer);
  } catch (error) {
    return isFirstFailure(told) ? JSON.stringify({ systemMessage: failureText(host, told, error) }) : "";
  }
}

type Answer = (host: HookHost, told: Told) => Promise<Json | undefined>;

const answers: Readonly<Record<Moment, Answer>> = {
  "session-start": async (_, told) => {
    noteLive(told);
    await withStore(told, async () => undefined);
    return undefined;
  },

  "before-tool": async (host, told) => {
    const refusal = guardCall(host.callOf(told));
    return refusal && host.refused(told, refusal.text);
  },

  "after-tool": async (host, told) => {
    const born = host.born(told);
    if (!born) return undefined;
    const { shortenBorn } = await import("./born-result.ts");
    return withStore(told, async (store) => {
      const shown = await shortenBorn(born, { store, sessionId: told.sessionId, at: Date.now() });
      return shown === undefined ? undefined : host.shortened(told, shown);
    });
  },

  "maybe-compaction": async (host, told) => {
    const { isDue } = await import("./gemini-cli/is-due.ts");
    if (isDue(told)) await keptPage(host, told);
    return undefined;
  },

  "before-compaction": async (host, told) => {
    const page = await keptPage(host, told);
    if (!page) return undefined;
    const { instructionsText } = await import("./page.ts");
    return host.instructed(await instructionsText(page));
  },

  "after-compaction": async (host, told) => {
    const page = await keptPage(host, told);
    if (!page) return undefined;
    const { pageAfter } = await import("./page.ts");
    const notice = `palimpsest: ${page.rows.length === 0 ? "nothing" : `${page.total} originals`} kept; "palimpsest refs" lists them.`;
    return host.injected(told, await pageAfter(page), notice);
  },

  "session-end": async (_, told) => {
    const pid = process.env["CLAUDE_PID"];
    if (pid !== undefined) rmSync(liveFile(homeFolder(process.env), pid), { force: true });
    if (!existsSync(storeFile(process.env))) return undefined;
    await withStore(told, (store) => store.endSession(told.sessionId, Date.now()));
    return undefined;
  },
};

/** Rows enough for any table; it counts the rest. */
const TABLE_ROWS = 2_000;

async function keptPage(host: HookHost, told: Told) {
  const { transcriptPath: path, sessionId } = told;
  if (path === undefined || !existsSync(path)) return undefined;
  const [{ keepSession }, { openFile }] = await Promise.all([
    import("./keep-session.ts"),
    import("../file.ts"),
  ]);
  return withStore(told, async (store) => {
    const { transcript } = await keepSession(store, {
      ...{ sessionId, source: openFile(path), wire: host.name, at: Date.now() },
    });
    const { rows, total } = await store.list(sessionId, { limit: TABLE_ROWS });
    return { transcript, rows, total, maxTokens: host.pageTokens };
  });
}

function noteLive({ sessionId, cwd }: Told): void {
  const pid = process.env["CLAUDE_PID"];
  if (pid === undefined) return;
  const file = liveFile(homeFolder(process.env), pid);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ session: sessionId, cwd }), { mode: 0o600 });
}

/** A marker that only the first can make. Not in our home: that may be what cannot be written. */
function isFirstFailure({ sessionId }: Told): boolean {
  try {
    const marker = join(tmpdir(), `palimpsest-failed-${sessionId.replaceAll(/\W/g, "-").slice(0, 80)}`);
    writeFileSync(marker, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function failureText({ name }: HookHost, { event }: Told, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `palimpsest: ${event} failed (${why}). Everything goes through as it is; "palimpsest doctor ${name}" looks into it. Said once in this session.`;
}
