/**
 * From a request to an answer, without a socket: find the provider, read, judge, ask the script, count, spell. If you
 * read one file here, read this one.
 *
 * The rules come before the script, so an illegal request never costs a reply. What the script says goes out even where
 * a model would not say it; the server judges those who ask, not those who write tests.
 */
import { estimatorFor } from "../measure/count.ts";
import { modelNamed } from "../measure/models.ts";
import { isObject, type Json, parseJson } from "../transcript/json.ts";
import type { Usage } from "../transcript/message.ts";
import { prefixesOf } from "../transcript/prefix.ts";
import { type Answer, broken, isRefusal, plain, refused, streamed } from "./answer.ts";
import { anthropic } from "./anthropic.ts";
import type { Api, Asked, Headers, Made, Memory, Route, Trouble, Violation, ViolationCode } from "./api.ts";
import { gemini } from "./gemini.ts";
import { idFrom } from "./ids.ts";
import { modelList } from "./models.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { type Piece, PromptCache, piecesOf, tokensOf, withLastMarked } from "./prompt-cache.ts";
import { Recent } from "./recent.ts";
import { type Kept, Records } from "./records.ts";
import { endingOf, faultOf, nextReply, partsOf, type Reply, type Script } from "./script.ts";
import { makeSeal, sealParts } from "./seal.ts";

const APIS: readonly Api[] = [anthropic, openaiChat, openaiResponses, gemini];
const CHUNK_CHARS = 24;

export interface ModelOptions {
  readonly script: Script;
  /** The only models there are; any name will do where not given. */
  readonly models?: readonly string[];
  /** The only keys there are; any or none will do where not given. */
  readonly keys?: readonly string[];
  /** A larger prompt is refused in the provider's words. Default: what the model's window is known to be. */
  readonly windowTokens?: number;
  /** Broken without being refused: recorded as violations, and answered all the same. */
  readonly lenient?: readonly ViolationCode[];
  /** Milliseconds, for the prompt cache and for timestamps. */
  readonly now?: () => number;
}

export interface Incoming {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  /** All that were sent, also where the body was not kept because there were too many. */
  readonly bytes: number;
}

export class Model {
  readonly records: Records = new Records();
  readonly #options: ModelOptions;
  readonly #cache: PromptCache;
  readonly #memory: Memory = {
    thoughtful: new Recent(10_000),
    items: new Recent(10_000),
    conversations: new Recent(200),
    reasonedFrom: new Recent(10_000),
  };
  #turn = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#cache = new PromptCache(this.#now);
  }

  readonly #now = (): number => (this.#options.now ?? Date.now)();

  async answer(incoming: Incoming): Promise<Answer> {
    const { pathname, searchParams } = new URL(incoming.url, "http://127.0.0.1");
    const found = routeOf(pathname, searchParams);
    if (!found || incoming.method !== "POST") return this.#aside(incoming, pathname);
    const { api, route } = found;
    const body = parseJson(incoming.body);
    const asked = api.read(isObject(body) ? body : {}, route, this.#memory);
    const pieces = withLastMarked(
      piecesOf(asked.transcript, estimatorFor(asked.model)),
      asked.body["cache_control"],
    );
    const kept = this.records.add(incoming, { api: api.name, asked, body, promptTokens: tokensOf(pieces) });
    const answer = await this.#judged({ api, asked, incoming, kept, pieces, body });
    kept.status = answer.status;
    return answer;
  }

  /** What no script answers. */
  #aside({ method, headers }: Incoming, path: string): Answer {
    if (method === "HEAD") return plain(200, null);
    const models = method === "GET" ? modelList(path, headers, this.#options.models) : undefined;
    if (models !== undefined) return plain(200, models);
    const why = `Not found: ${method} ${path}`;
    return plain(404, anthropic.refuse({ kind: "scripted", status: 404, message: why }).body);
  }

  async #judged(ask: Ask & { readonly body: Json | undefined }): Promise<Answer> {
    const { api, asked, kept } = ask;
    const lenient = new Set(this.#options.lenient ?? []);
    kept.violations.push(...this.#troubles(ask).map(api.refuse));
    if (kept.violations.length === 0)
      kept.violations.push(
        ...api.refusals(asked, ask.incoming.headers, this.#memory),
        ...this.#overflow(ask),
      );
    const enforced = kept.violations.find(({ code }) => !lenient.has(code));
    if (enforced) return failed(enforced);
    if (asked.route.asks === "count") return plain(200, api.count(kept.promptTokens));
    return this.#scripted(ask);
  }

  /** What is wrong before anyone looks at the conversation. */
  #troubles({ api, asked, incoming, body }: Ask & { readonly body: Json | undefined }): readonly Trouble[] {
    const { models, keys } = this.#options;
    if (incoming.bytes > api.maxBytes) return [{ kind: "request-too-large", bytes: incoming.bytes }];
    if (keys && !keys.some((key) => this.records.keyOf(incoming) === key)) return [{ kind: "bad-key" }];
    if (!isObject(body)) return [{ kind: "bad-json" }];
    if (models && asked.model !== "" && !models.includes(asked.model))
      return [{ kind: "unknown-model", model: asked.model }];
    return [];
  }

  #overflow({ api, asked, kept }: Ask): readonly Violation[] {
    const { promptTokens: tokens } = kept;
    const windowTokens = this.#windowOf(asked);
    const isOver = asked.route.asks === "answer" && tokens > windowTokens;
    return isOver ? [api.refuse({ kind: "overflow", tokens, windowTokens })] : [];
  }

  #windowOf({ model }: Asked): number {
    return this.#options.windowTokens ?? modelNamed(model).windowTokens;
  }

  async #scripted(ask: Ask): Promise<Answer> {
    const { api, asked, kept } = ask;
    const turn = this.#turn;
    this.#turn += 1;
    const reply = await replyTo(this.#options.script, kept, turn);
    if (typeof reply === "string")
      return failed(api.refuse({ kind: "scripted", status: 400, message: reply }));
    const fault = faultOf(reply);
    const room = { tokens: kept.promptTokens, windowTokens: this.#windowOf(asked) };
    const { delayMs, chunkDelayMs } = reply;
    // Nothing was answered, so nothing is counted and nothing is cached.
    if (fault && isRefusal(fault)) return { ...refused(fault, api, room), delayMs };
    const made = this.#make(ask, reply, turn);
    const whole = asked.isStream ? streamed(api.stream(made), isEvents(asked)) : plain(200, api.whole(made));
    api.remember(made, this.#memory);
    kept.usage = made.usage;
    return { ...(fault ? broken(fault, whole, { api, made, room }) : whole), delayMs, chunkDelayMs };
  }

  #make({ api, asked, pieces }: Ask, reply: Reply, turn: number): Made {
    const prefix = prefixesOf(asked.transcript).at(-1) ?? "";
    const seed = `${prefix} ${turn}`;
    const parts = sealParts(withIds(partsOf(reply), api, seed), { by: api.name, kind: api.seals, prefix });
    const counter = estimatorFor(asked.model);
    const thought = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
    const spoken = parts.filter((part) => part.type !== "thinking");
    const thinkingTokens = Math.ceil(counter.text(thought.join("\n")));
    const outputTokens = spoken.reduce((sum, part) => sum + counter.part(part), thinkingTokens);
    return {
      asked,
      seed,
      parts,
      ends: endingOf(reply),
      usage: { ...this.#use(api, asked, pieces), outputTokens, ...reply.usage },
      thinkingTokens,
      seal: makeSeal({ by: api.name, text: thought.join("\n"), prefix }),
      chunkChars: reply.chunkChars ?? CHUNK_CHARS,
      at: this.#now(),
    };
  }

  #use(api: Api, { model }: Asked, pieces: readonly Piece[]): Omit<Usage, "outputTokens"> {
    const rules = { ...modelNamed(model).cache, kind: api.cache };
    return this.#cache.use(pieces, { model: `${api.name} ${model}`, rules });
  }
}

interface Ask {
  readonly api: Api;
  readonly asked: Asked;
  readonly incoming: Incoming;
  readonly kept: Kept;
  readonly pieces: readonly Piece[];
}

/** The reply, or why there is none. It is said with a status that no client retries: the test is wrong, not the weather. */
async function replyTo(script: Script, request: Kept, turn: number): Promise<Reply | string> {
  try {
    const reply = await nextReply(script, request, turn);
    return reply ?? `The script has no reply left: this is its request number ${turn + 1}.`;
  } catch (error) {
    return `The script failed at its request number ${turn + 1}: ${error}`;
  }
}

function routeOf(path: string, query: URLSearchParams): { api: Api; route: Route } | undefined {
  for (const api of APIS) {
    const route = api.route(path, query);
    if (route) return { api, route };
  }
  return undefined;
}

function failed({ status, body }: Violation): Answer {
  return plain(status, body);
}

function isEvents({ route }: Asked): boolean {
  return route.isList !== true;
}

function withIds(parts: Made["parts"], api: Api, seed: string): Made["parts"] {
  const prefix = api.name === "anthropic" ? "toolu_01" : "call_";
  return parts.map((part, index) =>
    part.type === "tool-call" && part.callId === ""
      ? { ...part, callId: idFrom(prefix, seed, `${index}`) }
      : part,
  );
}
