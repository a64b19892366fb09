/**
 * pi, from inside: results are shortened as they are born (failing ones too), compaction is taken over without a model call,
 * the tools and `/refs` are there, and a call that would write a stub is refused. Whatever throws is said once, and pi goes
 * on as if we were not there.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { openFile } from "../../file.ts";
import { guardCall } from "../../guard.ts";
import { runTool, toolSchemas } from "../../tools.ts";
import type { Json, JsonObject } from "../../transcript/json.ts";
import { shortenBorn } from "../born-result.ts";
import { keepSession } from "../keep-session.ts";
import { foldedPage } from "../page.ts";
import { withStore } from "../store-of.ts";
import type { Pi, PiCompacting, PiContext, PiResult, PiText } from "./pi.ts";

const MOST_ROWS = 2_000;
const PAGE_TOKENS = 8_000;

export default function palimpsest(pi: Pi): void {
  if (process.env["PALIMPSEST_OFF"] === "1") return;
  pi.on(
    "session_start",
    failingOpen(async (_, context) => withStore(where(context), async () => undefined)),
  );
  pi.on(
    "tool_call",
    failingOpen(async ({ toolName, input }) => {
      const refusal = guardCall({ name: toolName, input });
      return refusal && { block: true, reason: refusal.text };
    }),
  );
  pi.on("tool_result", failingOpen(shortened));
  pi.on("session_before_compact", failingOpen(takenOver));
  pi.on(
    "session_shutdown",
    failingOpen(async (_, context) =>
      withStore(where(context), (store) => store.endSession(where(context).sessionId, Date.now())),
    ),
  );
  // pi compacts by itself, and a compaction in the middle of a run would end it: no `compact` here.
  for (const { name, description = "", input } of toolSchemas.filter((schema) => schema.name !== "compact"))
    pi.registerTool({ name, label: name, description, parameters: input, execute: executing(name) });
  pi.registerCommand("refs", { description: "What left the context, and where it is", handler: showRefs });
}

function where(context: PiContext) {
  return { sessionId: context.sessionManager.getSessionId(), cwd: context.cwd };
}

async function shortened(result: PiResult, context: PiContext) {
  const { toolName, toolCallId, input } = result;
  const text = textOf(result);
  if (text === undefined) return undefined;
  const call = { type: "tool-call" as const, callId: toolCallId, name: toolName, input };
  const place = where(context);
  const shown = await withStore(place, (store) =>
    shortenBorn({ call, text }, { store, sessionId: place.sessionId, at: Date.now() }),
  );
  return shown === undefined ? undefined : { content: [textBlock(shown)] };
}

/** Larger files than this are not read into the agent. */
const MOST_BYTES = 64 * 1024 * 1024;

/** pi cuts long outputs and keeps the whole in a file, which it names. Results with images stay as they are. */
function textOf({ content, details }: PiResult): string | undefined {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length === 0 || texts.length < content.length) return undefined;
  const path = details?.fullOutputPath;
  const isWhole = typeof path !== "string" || !existsSync(path) || statSync(path).size > MOST_BYTES;
  return isWhole ? texts.join("\n") : readFileSync(path, "utf8");
}

/** Undefined where the session has no file (it is not saved): then pi writes its own summary. */
async function takenOver({ preparation, customInstructions }: PiCompacting, context: PiContext) {
  const path = context.sessionManager.getSessionFile();
  if (path === undefined) return undefined;
  const place = where(context);
  const summary = await withStore(place, async (store) => {
    const kept = { sessionId: place.sessionId, source: openFile(path), wire: "pi", at: Date.now() };
    const { transcript } = await keepSession(store, kept);
    const { rows } = await store.list(place.sessionId, { limit: MOST_ROWS });
    return foldedPage({ transcript, rows, maxTokens: PAGE_TOKENS }, customInstructions);
  });
  const { firstKeptEntryId, tokensBefore } = preparation;
  return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { by: "palimpsest" } } };
}

function executing(name: string) {
  return async (_id: string, input: JsonObject, _signal: unknown, _update: unknown, context: PiContext) => {
    const place = where(context);
    const answer = await withStore(place, (store) =>
      runTool(name, input, { store, sessionId: place.sessionId }),
    );
    // pi tells a failed tool by what it throws.
    if (answer.isError) throw new Error(answer.text);
    return { content: [textBlock(answer.text)], details: undefined };
  };
}

async function showRefs(words: string, context: PiContext): Promise<void> {
  const input: Json = words.trim() === "" ? {} : { contains: words.trim() };
  const place = where(context);
  const answer = await withStore(place, (store) =>
    runTool("list_refs", input, { store, sessionId: place.sessionId }),
  );
  context.ui.notify(answer.text, "info");
}

function textBlock(text: string): PiText {
  return { type: "text", text };
}

let isSaid = false;

function failingOpen<Event, Answer>(handler: (event: Event, context: PiContext) => Promise<Answer>) {
  return async (event: Event, context: PiContext): Promise<Answer | undefined> => {
    try {
      return await handler(event, context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!isSaid) context.ui.notify(`palimpsest: ${why}. Everything goes through as it is.`, "warning");
      isSaid = true;
      return undefined;
    }
  };
}
