/**
 * OpenCode, from inside: what the model is sent is OpenCode's list seen through the ledger, so its own lossy compaction is
 * seldom needed; results are shortened as they are born, those of MCP tools too; where OpenCode does compact, its summarizer
 * is told what it may not leave out and the page follows; the tools are here, and know whose they are. The store is reached
 * through a companion on Node (see `companion.ts`); what is small never leaves this process.
 *
 * Whatever goes wrong, OpenCode goes on as if we were not there, and it is said once.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { guardCall } from "../../guard.ts";
import { toolSchemas } from "../../tools.ts";
import { type JsonObject, list, object, string } from "../../transcript/json.ts";
import { Link } from "./link.ts";
import type { AfterTool, Hooks, Listed, OpenCode, OwnTool, ToolUsed } from "./opencode.ts";
import { Looking, WINDOW_TOKENS, windowIn } from "./view.ts";

/** As for hooks: below this nothing is giant. */
const LIGHT_CHARS = 16_000;

export const Palimpsest = async (host: OpenCode, options: JsonObject = {}): Promise<Hooks> => {
  if (process.env["PALIMPSEST_OFF"] === "1") return {};
  const inside = new Inside(host, new Link(string(options["node"]) ?? "node"));
  return {
    event: (heard) => failingOpen(({ event }: typeof heard) => inside.heard(event))(heard, undefined),
    tool: Object.fromEntries(toolSchemas.map(({ name }) => [name, inside.tool(name)])),
    // OpenCode takes every property of a plain schema for required; this is where it can be told.
    "tool.definition": async ({ toolID }, output) => {
      const ours = toolSchemas.find(({ name }) => name === toolID);
      if (ours) output.jsonSchema = ours.input;
    },
    "tool.execute.before": async ({ tool }, { args }) => {
      const refusal = guardCall({ name: tool, input: args });
      // OpenCode refuses a call whose hook throws, and tells the model why.
      if (refusal) throw new Error(refusal.text);
    },
    "tool.execute.after": failingOpen((used, output) => inside.shorten(used, output)),
    "experimental.session.compacting": failingOpen(({ sessionID }, { context }) =>
      inside.compacting(sessionID, context),
    ),
    "experimental.chat.messages.transform": failingOpen((_, output) => inside.show(output)),
    "experimental.chat.system.transform": failingOpen(async ({ sessionID = "" }, { system }) => {
      const page = inside.pageFor(sessionID);
      if (page !== undefined) system.push(page);
    }),
  };
};

class Inside {
  readonly #host: OpenCode;
  readonly #link: Link;
  readonly #looking = new Looking();
  /** What was said after OpenCode's last compaction; it stands in the system prompt until the next, the same bytes each time. */
  readonly #pages = new Map<string, string>();
  /** Sessions whose list begins with a summary of OpenCode's: only there the page belongs. */
  readonly #summarized = new Set<string>();
  readonly #parents = new Map<string, string>();
  /** The next list of these goes to OpenCode's summarizer. */
  readonly #summarizing = new Set<string>();
  readonly #windows = new Map<string, number>();

  constructor(host: OpenCode, link: Link) {
    this.#host = host;
    this.#link = link;
  }

  pageFor(sessionId: string): string | undefined {
    return this.#summarized.has(sessionId) ? this.#pages.get(sessionId) : undefined;
  }

  async heard({ type, properties }: JsonObject): Promise<void> {
    const { id, parentID } = object(object(properties)["info"]);
    if (type === "session.created" && typeof id === "string" && typeof parentID === "string")
      this.#parents.set(id, parentID);
    if (type === "session.deleted" && typeof id === "string") await this.#ask("ended", id, {});
  }

  tool(name: string): OwnTool {
    const { description = "", input } = toolSchemas.find((schema) => schema.name === name) ?? { input: {} };
    return {
      description,
      args: object(object(input)["properties"]),
      // OpenCode tells a failed tool by what it throws.
      execute: async (args, { sessionID }) => {
        if (name === "compact") this.#looking.want(sessionID);
        const { text, isError } = await this.#ask("tool", sessionID, { name, input: args });
        if (isError === true) throw new Error(string(text));
        return string(text) ?? "";
      },
    };
  }

  async show({ messages }: Listed): Promise<void> {
    const last = object(messages.at(-1)?.["info"]);
    const session = string(last["sessionID"]);
    if (session === undefined) return;
    if (messages.some(({ info }) => object(info)["summary"] === true)) this.#summarized.add(session);
    else this.#summarized.delete(session);
    const only = this.#summarizing.delete(session);
    const model = modelOf(messages);
    const window = await this.#windowOf(model);
    if (!only && !this.#looking.isDue(session, messages, window)) return;
    const given = { messages, window, only, model: string(model["modelID"]) ?? "" };
    const answer = await this.#ask("show", session, given);
    const { list: placed, page, notices } = answer;
    if (typeof page === "string") this.#pages.set(session, page);
    if (!only) this.#looking.looked(session, messages, placed !== undefined);
    for (const notice of list(notices)) this.#say(string(notice) ?? "");
    if (placed === undefined) return;
    const before = [...messages];
    // OpenCode goes on with this very list, so it is changed, and what stands in it is not.
    messages.splice(
      0,
      before.length,
      ...list(placed).map((one) => object(typeof one === "number" ? before[one] : one)),
    );
  }

  async shorten({ tool, sessionID, callID, args }: ToolUsed, output: AfterTool): Promise<void> {
    const blocks = Array.isArray(output.content) ? output.content : undefined;
    const texts = blocks?.map((block) => (block.type === "text" ? block.text : undefined)) ?? [output.output];
    if (!texts.every((text) => typeof text === "string")) return;
    const whole = wholeOf(output);
    // What was asked back is shown as it was asked for, also where OpenCode has cut it.
    if (toolSchemas.some(({ name }) => name === tool)) {
      if (whole !== undefined) output.output = whole;
      return;
    }
    const text = whole ?? texts.join("\n");
    if (text.length < LIGHT_CHARS) return;
    const call = { callId: callID, name: tool, input: args ?? {} };
    const { shown } = await this.#ask("born", sessionID, { call, text });
    if (typeof shown !== "string") return;
    // An MCP result is given raw: its blocks, not its text, are what the model is shown.
    if (blocks) output.content = [{ type: "text", text: shown }];
    else output.output = shown;
  }

  async compacting(sessionId: string, context: string[]): Promise<void> {
    this.#summarizing.add(sessionId);
    const { data } = await this.#host.client.session.messages({ path: { id: sessionId } });
    const answer = await this.#ask("compacting", sessionId, { messages: data ?? [] });
    if (typeof answer["context"] === "string") context.push(answer["context"]);
    if (typeof answer["page"] === "string") this.#pages.set(sessionId, answer["page"]);
  }

  #ask(what: string, session: string, given: JsonObject): Promise<JsonObject> {
    const parent = this.#parents.get(session);
    const where = { session, cwd: this.#host.directory, ...(parent === undefined ? {} : { parent }) };
    return this.#link.ask(what, { ...where, ...given });
  }

  async #windowOf(model: JsonObject): Promise<number> {
    const key = `${string(model["providerID"])}/${string(model["modelID"])}`;
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const { data } = await this.#host.client.config.providers();
    const found = windowIn(data, model) ?? WINDOW_TOKENS;
    this.#windows.set(key, found);
    return found;
  }

  #say(message: string): void {
    // In a run without a screen there is nobody to show it to.
    this.#host.client.tui.showToast({ body: { message, variant: "info" } }).catch(() => undefined);
  }
}

/** The model the next request goes to stands in what the user said last. */
function modelOf(messages: readonly JsonObject[]): JsonObject {
  const asked = messages.findLast(({ info }) => object(info)["role"] === "user");
  return object(object(asked?.["info"])["model"]);
}

/** Larger files than this are not read into the agent. */
const MOST_BYTES = 64 * 1024 * 1024;

/** OpenCode cuts long outputs and keeps the whole in a file, which it names. */
function wholeOf({ metadata }: AfterTool): string | undefined {
  const path = metadata?.outputPath;
  if (typeof path !== "string" || !existsSync(path) || statSync(path).size > MOST_BYTES) return undefined;
  return readFileSync(path, "utf8");
}

let isSaid = false;

function failingOpen<Input, Output>(handler: (input: Input, output: Output) => Promise<void>) {
  return async (input: Input, output: Output): Promise<void> => {
    try {
      await handler(input, output);
    } catch (error) {
      if (!isSaid) console.error(`palimpsest: ${error}. Everything goes through as it is.`);
      isSaid = true;
    }
  };
}
