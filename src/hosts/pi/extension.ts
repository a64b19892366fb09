/**
 * pi, from inside: what the model is sent is pi's list seen through the ledger, results are shortened as they are born
 * (failing ones too), a compaction pi decides on is taken over without a model call, the tools and `/refs` are there, and a
 * call that would write a stub is refused. Whatever throws is said once, and pi goes on as if we were not there.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { openFile } from "../../file.ts";
import { guardCall } from "../../guard.ts";
import type { Store } from "../../store/store.ts";
import { runTool, toolSchemas } from "../../tools.ts";
import { type Json, type JsonObject, object, string } from "../../transcript/json.ts";
import { piMessages } from "../../wire/pi-messages.ts";
import { shortenBorn } from "../born-result.ts";
import { keepSession } from "../keep-session.ts";
import { foldedPage } from "../page.ts";
import { SessionView } from "../session-view.ts";
import { enterSession, openHostStore } from "../store-of.ts";
import { otherCompactor } from "./other-compactor.ts";
import type { Pi, PiCompacting, PiContext, PiResult, PiText } from "./pi.ts";

const MOST_ROWS = 2_000;
const PAGE_TOKENS = 8_000;
/** pi compacts by itself when less than this is left, unless it was told otherwise. */
const RESERVE_TOKENS = 16_384;

export default function palimpsest(pi: Pi): void {
  if (process.env["PALIMPSEST_OFF"] === "1") return;
  const inside = new Inside(pi);
  listen(pi, inside);
  for (const { name, description = "", input } of toolSchemas) {
    const execute = inside.executing(name);
    pi.registerTool({ name, label: name, description, parameters: input, execute });
  }
  pi.registerCommand("refs", {
    description: "What left the context, and where it is",
    handler: (words, context) => inside.showRefs(words, context),
  });
}

function listen(pi: Pi, inside: Inside): void {
  const open = inside.failingOpen.bind(inside) as Inside["failingOpen"];
  pi.on(
    "session_start",
    open(async (_, context) => void (await inside.store(context))),
  );
  pi.on(
    "tool_call",
    open(async ({ toolName, input }) => {
      const refusal = guardCall({ name: toolName, input });
      return refusal && { block: true, reason: refusal.text };
    }),
  );
  pi.on(
    "tool_result",
    open((result, context) => inside.shortened(result, context)),
  );
  pi.on(
    "context",
    open(({ messages }, context) => inside.shown(messages, context)),
  );
  pi.on(
    "session_before_compact",
    open((event, context) => inside.takenOver(event, context)),
  );
  pi.on(
    "session_shutdown",
    open((_, context) => inside.end(context)),
  );
}

class Inside {
  readonly #pi: Pi;
  /** Open while pi runs: every request looks into it. */
  #opened: Promise<Store> | undefined;
  readonly #views = new Map<string, SessionView>();
  readonly #known = new Set<string>();
  #isSaid = false;
  #isLeft: boolean | undefined;

  constructor(pi: Pi) {
    this.#pi = pi;
  }

  /** With the session in it. */
  async store({ cwd, sessionManager }: PiContext): Promise<Store> {
    this.#opened ??= openHostStore();
    const store = await this.#opened;
    const id = sessionManager.getSessionId();
    if (this.#known.has(id)) return store;
    await enterSession(store, { sessionId: id, cwd });
    this.#known.add(id);
    return store;
  }

  async end(context: PiContext): Promise<void> {
    const store = await this.store(context);
    await store.endSession(context.sessionManager.getSessionId(), Date.now());
    this.#opened = undefined;
    this.#views.clear();
    this.#known.clear();
    await store.close();
  }

  async shown(messages: readonly Json[], context: PiContext) {
    const { id, contextWindow } = context.model ?? {};
    const windowTokens = contextWindow === undefined ? undefined : contextWindow - RESERVE_TOKENS;
    const sessionId = context.sessionManager.getSessionId();
    const view = await this.#view(context);
    const shown = await view.show(messages, { sessionId, model: id, windowTokens });
    for (const notice of shown.notices) context.ui.notify(notice, "info");
    return shown.isEdited ? { messages: shown.messages } : undefined;
  }

  async #view(context: PiContext): Promise<SessionView> {
    const id = context.sessionManager.getSessionId();
    const known = this.#views.get(id);
    if (known) return known;
    const onError = (error: unknown) => this.#say(error, context);
    const view = new SessionView({ store: await this.store(context), wire: piMessages, onError });
    this.#views.set(id, view);
    return view;
  }

  async shortened(result: PiResult, context: PiContext) {
    const { toolName, toolCallId, input } = result;
    const text = textOf(result);
    if (text === undefined) return undefined;
    const call = { type: "tool-call" as const, callId: toolCallId, name: toolName, input };
    const sessionId = context.sessionManager.getSessionId();
    const store = await this.store(context);
    const shown = await shortenBorn({ call, text }, { store, sessionId, at: Date.now() });
    return shown === undefined ? undefined : { content: [textBlock(shown)] };
  }

  /** Undefined where there is no file (pi does not save this session), or compaction is not ours: pi or another does it. */
  async takenOver({ preparation, customInstructions }: PiCompacting, context: PiContext) {
    const path = context.sessionManager.getSessionFile();
    if (path === undefined) return undefined;
    const sessionId = context.sessionManager.getSessionId();
    const store = await this.store(context);
    const kept = { sessionId, source: openFile(path), wire: "pi", at: Date.now() };
    const { transcript } = await keepSession(store, kept);
    this.#isLeft ??= this.#isCompactionLeft(context);
    if (this.#isLeft) return undefined;
    const { rows } = await store.list(sessionId, { limit: MOST_ROWS });
    const summary = await foldedPage({ transcript, rows, maxTokens: PAGE_TOKENS }, customInstructions);
    const { firstKeptEntryId, tokensBefore } = preparation;
    return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { by: "palimpsest" } } };
  }

  #isCompactionLeft({ cwd, ui }: PiContext): boolean {
    if (process.env["PALIMPSEST_COMPACTION"] === "host") return true;
    const named = [...this.#pi.getAllTools(), ...this.#pi.getCommands()].flatMap(
      ({ sourceInfo }) => sourceInfo?.path ?? [],
    );
    const other = otherCompactor({ argv: process.argv, cwd, env: process.env, named });
    if (other !== undefined) ui.notify(`palimpsest: compaction is left to ${other}.`, "info");
    return other !== undefined;
  }

  executing(name: string) {
    return async (_id: string, input: JsonObject, _signal: unknown, _update: unknown, context: PiContext) => {
      const answer =
        name === "compact" ? await this.#compact(input, context) : await this.#run(name, input, context);
      // pi tells a failed tool by what it throws.
      if (answer.isError) throw new Error(answer.text);
      return { content: [textBlock(answer.text)], details: undefined };
    };
  }

  async showRefs(words: string, context: PiContext): Promise<void> {
    const input: Json = words.trim() === "" ? {} : { contains: words.trim() };
    const answer = await this.#run("list_refs", input, context);
    context.ui.notify(answer.text, "info");
  }

  async #run(name: string, input: Json, context: PiContext) {
    const store = await this.store(context);
    const sessionId = context.sessionManager.getSessionId();
    return runTool(name, input, {
      store,
      sessionId,
      onRecalled: (recalled) =>
        void store
          .append(sessionId, [{ kind: "recalled", at: Date.now(), ...recalled }])
          .catch(() => undefined),
    });
  }

  /** Not pi's own compaction, which would end the run: the view folds before the next request. */
  async #compact(input: JsonObject, context: PiContext) {
    const view = await this.#view(context);
    return { text: view.want(string(object(input)["focus"])), isError: false };
  }

  failingOpen<Event, Answer>(handler: (event: Event, context: PiContext) => Promise<Answer>) {
    return async (event: Event, context: PiContext): Promise<Answer | undefined> => {
      try {
        return await handler(event, context);
      } catch (error) {
        this.#say(error, context);
        return undefined;
      }
    };
  }

  #say(error: unknown, context: PiContext): void {
    const why = error instanceof Error ? error.message : String(error);
    if (!this.#isSaid) context.ui.notify(`palimpsest: ${why}. Everything goes through as it is.`, "warning");
    this.#isSaid = true;
  }
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

function textBlock(text: string): PiText {
  return { type: "text", text };
}
