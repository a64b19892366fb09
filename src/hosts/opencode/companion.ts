/**
 * The process beside OpenCode: OpenCode runs on Bun, which has neither of our SQLite drivers. One for as long as OpenCode
 * runs, started when there is something to ask; a question and its answer are a line of JSON each. It ends when OpenCode does.
 */
import { createInterface } from "node:readline";
import type { Store } from "../../store/store.ts";
import { runTool } from "../../tools.ts";
import { defined, type Json, type JsonObject, list, number, object, string } from "../../transcript/json.ts";
import { opencodeMessages } from "../../wire/opencode-messages.ts";
import { sourceOf } from "../../wire/source.ts";
import { shortenBorn } from "../born-result.ts";
import { keepSession } from "../keep-session.ts";
import { instructionsText, pageAfter } from "../page.ts";
import { SessionView, type Shown } from "../session-view.ts";
import { enterSession, openHostStore } from "../store-of.ts";

const PAGE_TOKENS = 6_000;
const MOST_ROWS = 2_000;

export async function companion(): Promise<void> {
  const answering = new Companion(await openHostStore());
  const answers: Promise<void>[] = [];
  for await (const line of createInterface({ input: process.stdin })) answers.push(answering.line(line));
  await Promise.all(answers);
  await answering.close();
}

/** What a question is about. */
interface About {
  readonly sessionId: string;
  readonly given: JsonObject;
}

class Companion {
  readonly #store: Store;
  readonly #views = new Map<string, SessionView>();
  readonly #known = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async line(line: string): Promise<void> {
    const { id = null, ask, ...given } = object(JSON.parse(line) as Json);
    const answer = await this.#answer(string(ask) ?? "", given).catch((error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }));
    process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
  }

  async #answer(ask: string, given: JsonObject): Promise<JsonObject> {
    const sessionId = string(given["session"]) ?? "";
    await this.#open(sessionId, given);
    const about = { sessionId, given };
    switch (ask) {
      case "show":
        return this.#show(about);
      case "born":
        return this.#born(about);
      case "compacting":
        return this.#compacting(about);
      case "tool":
        return this.#tool(about);
      case "ended":
        await this.#store.endSession(sessionId, Date.now());
        return {};
      default:
        return { error: `There is no "${ask}" here.` };
    }
  }

  /** A subagent's session is the child of the one that started it, and each reads the other's refs. */
  async #open(id: string, given: JsonObject): Promise<void> {
    if (this.#known.has(id)) return;
    const cwd = string(given["cwd"]) ?? process.cwd();
    await enterSession(this.#store, { sessionId: id, cwd, ...defined({ parent: string(given["parent"]) }) });
    this.#known.add(id);
  }

  async #show({ sessionId, given }: About): Promise<JsonObject> {
    const messages = list(given["messages"]);
    const of = { sessionId, model: string(given["model"]), windowTokens: number(given["window"]) };
    const view = this.#view(sessionId);
    const shown = given["only"] === true ? await view.only(messages, of) : await view.show(messages, of);
    const ledger = await this.#store.ledger(sessionId);
    const page = ledger.findLast((entry) => entry.kind === "host-page")?.text;
    return {
      ...(shown.isEdited ? { list: placed(shown, messages) } : {}),
      ...defined({ page }),
      notices: shown.notices,
    };
  }

  async #born({ sessionId, given }: About): Promise<JsonObject> {
    const { callId, name, input = {} } = object(given["call"]);
    const call = {
      type: "tool-call" as const,
      callId: string(callId) ?? "",
      name: string(name) ?? "",
      input,
    };
    const keeping = { store: this.#store, sessionId, at: Date.now() };
    return defined({ shown: await shortenBorn({ call, text: string(given["text"]) ?? "" }, keeping) });
  }

  /** OpenCode keeps no file of a session: what its own export would say is what is kept. */
  async #compacting({ sessionId, given }: About): Promise<JsonObject> {
    const document = {
      info: { id: sessionId, directory: given["cwd"] ?? "" },
      messages: given["messages"] ?? [],
    };
    const at = Date.now();
    const source = sourceOf(Buffer.from(JSON.stringify(document)));
    const { transcript } = await keepSession(this.#store, { sessionId, source, wire: "opencode", at });
    const { rows } = await this.#store.list(sessionId, { limit: MOST_ROWS });
    const input = { transcript, rows, maxTokens: PAGE_TOKENS };
    const page = await pageAfter(input);
    await this.#store.append(sessionId, [{ kind: "host-page", at, text: page }]);
    return { context: await instructionsText(input), page };
  }

  async #tool({ sessionId, given }: About): Promise<JsonObject> {
    const name = string(given["name"]) ?? "";
    if (name === "compact")
      return { text: this.#view(sessionId).want(string(object(given["input"])["focus"])) };
    const { text, isError } = await runTool(name, given["input"] ?? {}, {
      store: this.#store,
      sessionId,
      onRecalled: (recalled) =>
        void this.#store.append(sessionId, [{ kind: "recalled", at: Date.now(), ...recalled }]).catch(said),
    });
    return { text, isError };
  }

  #view(sessionId: string): SessionView {
    const known = this.#views.get(sessionId);
    if (known) return known;
    const view = new SessionView({ store: this.#store, wire: opencodeMessages, onError: said });
    this.#views.set(sessionId, view);
    return view;
  }
}

/** A message that is as it came is named by its place: most are, and they are long. */
function placed({ messages }: Shown, given: readonly Json[]): readonly Json[] {
  const places = new Map(given.map((message, index) => [message, index]));
  return messages.map((message) => places.get(message) ?? message);
}

/** OpenCode shows nobody what we write here; the plugin keeps the last of it for what it says. */
function said(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
