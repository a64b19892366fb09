/**
 * The full path of a hook: what happens at each moment of a session. Fails open, and says so once in a session: a user who
 * is told at every tool call stops reading.
 */
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardCall } from "../guard.ts";
import { storeFile } from "../home.ts";
import { isObject, type Json, parseJson } from "../transcript/json.ts";
import { claudeCodeFunctionHooks } from "./claude-code/function-hooks.ts";
import { claudeCodeHooks } from "./claude-code/hooks.ts";
import { codexHooks } from "./codex/hooks.ts";
import { geminiCliHooks } from "./gemini-cli/hooks.ts";
import type { HookHost, Moment, Told } from "./hook-host.ts";
import { toldBy } from "./hook-host.ts";
import { forgetLive, isServedInside, noteLive } from "./live-session.ts";
import { withStore } from "./store-of.ts";

const hookHosts: readonly HookHost[] = [claudeCodeHooks, claudeCodeFunctionHooks, codexHooks, geminiCliHooks];
/** Done where they are seen first; beginning and end of a session are the same twice. */
const DONE_ONCE: readonly Moment[] = ["before-tool", "after-tool", "before-compaction", "after-compaction"];

/** What the host is answered, on standard output; empty for "go on". */
export async function answerHook(hostName: string, event: string, given: string): Promise<string> {
  const raw = parseJson(given);
  if (!isObject(raw)) return "";
  const told = toldBy(event, raw);
  const host = hookHosts.find(({ name, moment: momentOf }) => name === hostName && momentOf(told));
  const moment = host?.moment(told);
  if (!host || moment === undefined || told.sessionId === "") return "";
  if (!host.isInside && DONE_ONCE.includes(moment) && isServedInside()) return "";
  try {
    const answer = await answers[moment](host, told);
    return typeof answer === "string" ? answer : answer === undefined ? "" : JSON.stringify(answer);
  } catch (error) {
    return isFirstFailure(told) ? JSON.stringify({ systemMessage: failureText(host, told, error) }) : "";
  }
}

type Answer = (host: HookHost, told: Told) => Promise<Json | undefined>;

const answers: Readonly<Record<Moment, Answer>> = {
  "session-start": async (host, told) => {
    noteLive(told, host.isInside === true);
    await withStore(told, async () => undefined);
    return host.started?.();
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

  summarized: async (host, told) => {
    const { snapshotIn, pageBehind, withPage } = await import("./gemini-cli/snapshot.ts");
    const snapshot = snapshotIn(told);
    if (!snapshot) return undefined;
    const page = await withStore(told, (store) =>
      pageBehind(snapshot, { store, sessionId: told.sessionId }, async () => {
        const kept = await keptPage(host, told);
        return kept && (await import("./page.ts")).pageAfter(kept);
      }),
    );
    return page === undefined ? undefined : withPage(told, snapshot, page);
  },

  compaction: async (_, told) => (await import("./claude-code/answer-mod.ts")).answerCompaction(told),

  "own-tool": async (_, told) => (await import("./claude-code/answer-mod.ts")).answerTool(told),

  "session-end": async (_, told) => {
    forgetLive();
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
    const kept = { sessionId, source: openFile(path), wire: host.name, at: Date.now() };
    const { transcript } = await keepSession(store, kept);
    const { rows, total } = await store.list(sessionId, { limit: TABLE_ROWS });
    return { transcript, rows, total, maxTokens: host.pageTokens };
  });
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
