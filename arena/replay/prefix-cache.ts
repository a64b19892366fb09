/**
 * What of a prompt is read from the provider's cache. Prompts are paths in a tree of blocks, so that "the same prefix" is
 * the same node and nothing is compared twice. Each reading renews what was read.
 */
import type { CacheRules } from "./cache-rules.ts";

export interface Block {
  readonly key: string;
  readonly tokens: number;
}

interface Node {
  readonly children: Map<string, Node>;
  /** Of the prompt up to here. */
  readonly tokens: number;
  usedAt: number;
}

interface Step {
  readonly block: Block;
  readonly node: Node;
}

export interface Answered {
  readonly promptTokens: number;
  readonly readTokens: number;
  /** Sent the time before, unchanged, and not read all the same: it had expired, or was lost. */
  readonly missedTokens: number;
}

export interface Sent {
  readonly sentMs: number;
  readonly answeredMs: number;
  /** At the end of the prompt, behind the last mark the host set: not cached. */
  readonly unmarkedTokens?: number;
}

/** The first blocks are system prompt, tools and preamble, which hosts mark too. */
export const STANDING_BLOCKS = 3;
/** A mark is on a message; what the usage says of it is off by the tokens around it. */
const MARK_SLACK = 64;

export class PrefixCache {
  readonly #rules: CacheRules;
  readonly #root: Node = { children: new Map(), tokens: 0, usedAt: Number.NEGATIVE_INFINITY };
  readonly #last: Step[] = [];
  /** Of the prompt walked last, what the one before it began with, too. */
  #sameTokens = 0;

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** A prefix other sessions keep warm: what a host sends in all of them. */
  share(block: Block): void {
    const [first] = this.#pathOf([block]);
    if (first) first.node.usedAt = Number.POSITIVE_INFINITY;
  }

  /** A miss that was recorded and that no rule foretells: everything longer is gone. */
  evictBehind(tokens: number): void {
    const nodes = [this.#root];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      if (node.tokens > tokens) node.usedAt = Number.NEGATIVE_INFINITY;
      nodes.push(...node.children.values());
    }
  }

  /** What would be read now; nothing is renewed. */
  peek(blocks: readonly Block[], atMs: number): Answered {
    const path = this.#pathOf(blocks);
    const read = this.#rules.kind === "none" ? undefined : path[this.#readAt(path, atMs)];
    return this.#answered(path, this.#counted(read));
  }

  /** What was read from the cache; the rest was written to it, or sent anew. Looked up when sent, renewed when answered. */
  send(blocks: readonly Block[], sent: Sent): Answered {
    const path = this.#pathOf(blocks);
    const { kind } = this.#rules;
    if (kind === "none") return this.#answered(path, 0);
    const read = this.#readAt(path, sent.sentMs);
    for (const index of kind === "automatic" ? path.keys() : marksOf(path, read, sent)) {
      const node = path[index]?.node;
      if (node) node.usedAt = Math.max(node.usedAt, sent.answeredMs);
    }
    return this.#answered(path, this.#counted(path[read]));
  }

  #answered(path: readonly Step[], readTokens: number): Answered {
    const missedTokens = Math.max(0, this.#sameTokens - readTokens);
    return { promptTokens: path.at(-1)?.node.tokens ?? 0, readTokens, missedTokens };
  }

  #counted(step: Step | undefined): number {
    const { minimumTokens, stepTokens } = this.#rules;
    const tokens = Math.floor((step?.node.tokens ?? 0) / stepTokens) * stepTokens;
    return tokens < minimumTokens ? 0 : tokens;
  }

  /** A request is the one before and a little more: only what is new is walked. */
  #pathOf(blocks: readonly Block[]): readonly Step[] {
    const path = this.#last;
    let same = 0;
    while (same < blocks.length && same < path.length && path[same]?.block === blocks[same]) same += 1;
    const before = path.splice(same);
    let node = path.at(-1)?.node ?? this.#root;
    for (const block of blocks.slice(same)) {
      const next: Node = node.children.get(block.key) ?? {
        children: new Map(),
        tokens: node.tokens + block.tokens,
        usedAt: Number.NEGATIVE_INFINITY,
      };
      node.children.set(block.key, next);
      node = next;
      path.push({ block, node });
    }
    const other = before.findIndex(({ node: was }, at) => path[same + at]?.node !== was);
    this.#sameTokens = path[same + (other < 0 ? before.length : other) - 1]?.node.tokens ?? 0;
    return path;
  }

  #readAt(path: readonly Step[], atMs: number): number {
    return path.findLastIndex(({ node }) => atMs - node.usedAt <= this.#rules.ttlMs);
  }
}

/** The standing blocks, what was read, and the last message the host marked. */
function marksOf(path: readonly Step[], read: number, { unmarkedTokens = 0 }: Sent): readonly number[] {
  const end = (path.at(-1)?.node.tokens ?? 0) - unmarkedTokens + MARK_SLACK;
  const last = path.findLastIndex(({ node }) => node.tokens <= end);
  return [...Array(Math.min(STANDING_BLOCKS, path.length)).keys(), read, last];
}
