/**
 * A prompt cache that behaves like the provider's, so that usage means something: it matches prefixes over tools, then
 * system, then messages, and forgets after a time.
 *
 * `marked` (Anthropic): only what a request marked is written, and a mark finds what was written up to twenty blocks
 * before it. `automatic` (OpenAI, Gemini): every prefix is written, and read in steps of 128 tokens. Both leave out what
 * is shorter than the model's minimum. Routing to machines, and so the misses that nobody can explain, is not simulated.
 */
import { createHash } from "node:crypto";
import type { Counter } from "../measure/count.ts";
import type { CacheRules } from "../measure/model-facts.ts";
import { canonical, type Json, object } from "../transcript/json.ts";
import type { Part, ToolSchema, Transcript, Usage } from "../transcript/message.ts";
import { Recent } from "./recent.ts";

export type Ttl = "5m" | "1h";

/** The smallest thing a prefix grows by: a tool, a system part, a part of a message. */
export interface Piece {
  readonly content: string;
  readonly tokens: number;
  readonly mark?: Ttl;
}

export type CacheUse = Pick<Usage, "uncachedTokens" | "cacheReadTokens" | "cacheWriteTokens"> & {
  readonly cacheWrite1hTokens: number;
};

const TTL_MS: Record<Ttl, number> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };
const LOOK_BACK = 20;
const STEP_TOKENS = 128;
const MOST_PREFIXES = 100_000;

export class PromptCache {
  readonly #now: () => number;
  readonly #lives = new Recent<Life>(MOST_PREFIXES);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What of this prompt is read, written and neither; and from now on it is cached. */
  use(
    pieces: readonly Piece[],
    { model, rules }: { readonly model: string; readonly rules: CacheRules },
  ): CacheUse {
    const prefixes = prefixesOf(pieces, model);
    return rules.kind === "marked" ? this.#marked(prefixes, rules) : this.#automatic(prefixes, rules);
  }

  #marked(prefixes: readonly Prefix[], { minimumTokens }: CacheRules): CacheUse {
    const marked = prefixes.filter(({ mark, tokens }) => mark && tokens >= minimumTokens);
    const found = marked.flatMap(({ index }) => this.#before(prefixes, index) ?? []).at(-1);
    const read = found?.tokens ?? 0;
    const end = Math.max(read, marked.at(-1)?.tokens ?? 0);
    const longEnd = marked.findLast(({ mark }) => mark === "1h")?.tokens ?? 0;
    if (found) this.#keep(found, found.mark ?? "5m");
    for (const prefix of marked) this.#keep(prefix, prefix.mark ?? "5m");
    return {
      uncachedTokens: totalOf(prefixes) - end,
      cacheReadTokens: read,
      cacheWriteTokens: end - read,
      cacheWrite1hTokens: Math.max(0, longEnd - read),
    };
  }

  #before(prefixes: readonly Prefix[], index: number): Prefix | undefined {
    return prefixes
      .slice(Math.max(0, index - LOOK_BACK), index + 1)
      .findLast((prefix) => this.#isKept(prefix));
  }

  #automatic(prefixes: readonly Prefix[], { minimumTokens }: CacheRules): CacheUse {
    const known = prefixes.findLast((prefix) => this.#isKept(prefix))?.tokens ?? 0;
    const read = known < minimumTokens ? 0 : known - (known % STEP_TOKENS);
    for (const prefix of prefixes) this.#keep(prefix, "5m");
    return {
      uncachedTokens: totalOf(prefixes) - read,
      cacheReadTokens: read,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    };
  }

  #isKept({ digest }: Prefix): boolean {
    return (this.#lives.get(digest)?.endsAt ?? 0) > this.#now();
  }

  /** Reading renews a life for as long as it was given; writing again with less does not shorten it. */
  #keep(prefix: Prefix, ttl: Ttl): void {
    const given = this.#isKept(prefix) ? (this.#lives.get(prefix.digest)?.ttlMs ?? 0) : 0;
    const ttlMs = Math.max(given, TTL_MS[ttl]);
    this.#lives.set(prefix.digest, { ttlMs, endsAt: this.#now() + ttlMs });
  }
}

interface Life {
  readonly ttlMs: number;
  readonly endsAt: number;
}

interface Prefix {
  readonly index: number;
  readonly digest: string;
  /** All tokens up to and with this piece. */
  readonly tokens: number;
  readonly mark?: Ttl;
}

function prefixesOf(pieces: readonly Piece[], model: string): readonly Prefix[] {
  let digest = model;
  let tokens = 0;
  return pieces.map(({ content, tokens: own, mark }, index) => {
    digest = createHash("sha256").update(digest).update(content).digest("base64url");
    tokens += own;
    return { index, digest, tokens: Math.round(tokens), ...(mark ? { mark } : {}) };
  });
}

function totalOf(prefixes: readonly Prefix[]): number {
  return prefixes.at(-1)?.tokens ?? 0;
}

export function piecesOf(
  { tools = [], system = [], messages }: Transcript,
  counter: Counter,
): readonly Piece[] {
  return [
    ...tools.map((tool) => piece(withoutNative(tool), counter.tool(tool), tool.native)),
    ...system.map((part) => piece(["system", withoutNative(part)], counter.part(part), part.native)),
    ...messages.flatMap(({ role, parts }) =>
      parts.map((part, index) => {
        const wrapping = index === 0 ? counter.messageTokens : 0;
        return piece([role, withoutNative(part)], counter.part(part) + wrapping, part.native);
      }),
    ),
  ];
}

export function tokensOf(pieces: readonly Piece[]): number {
  return Math.round(pieces.reduce((sum, { tokens }) => sum + tokens, 0));
}

function piece(content: Json, tokens: number, native: Json | undefined): Piece {
  const mark = markOf(object(native)["cache_control"]);
  return { content: canonical(content), tokens, ...(mark ? { mark } : {}) };
}

function markOf(control: Json | undefined): Ttl | undefined {
  const { type, ttl } = object(control);
  if (type !== "ephemeral") return undefined;
  return ttl === "1h" ? "1h" : "5m";
}

/** Anthropic's mark on the request as a whole is a mark on its last block. */
export function withLastMarked(pieces: readonly Piece[], control: Json | undefined): readonly Piece[] {
  const mark = markOf(control);
  return mark
    ? pieces.map((each, index) => (index === pieces.length - 1 ? { ...each, mark } : each))
    : pieces;
}

/** The neutral fields alone, so that a mark that moves on does not change what is compared. */
function withoutNative({ native: _, ...fields }: Part | ToolSchema): Json {
  // Parts and tools are made of JSON; their interfaces have no index signature, which is all the compiler misses.
  return fields as Json;
}
