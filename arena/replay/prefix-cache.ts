/**
 * What of a prompt is read from the provider's cache. Prompts are paths in a tree of blocks, so that "the same prefix" is
 * the same node and nothing is compared twice.
 *
 * `marked` (Anthropic): a prefix is there if an earlier request ended in it and its life has not run out; each reading
 * renews it. `automatic` (OpenAI, Gemini): any prefix an earlier request had, in steps of 128 tokens.
 */
export interface CacheRules {
  readonly kind: "marked" | "automatic";
  readonly ttlMs: number;
  /** A shorter prefix is not cached. */
  readonly minimumTokens: number;
}

export interface Block {
  readonly key: string;
  readonly tokens: number;
}

interface Node {
  readonly children: Map<string, Node>;
  usedAt: number;
}

export interface Sent {
  readonly sentMs: number;
  readonly answeredMs: number;
}

const STEP_TOKENS = 128;
/** The first blocks are system prompt and tools, which hosts mark too. */
const STANDING = 2;

export class PrefixCache {
  readonly #rules: CacheRules;
  readonly #root: Node = { children: new Map(), usedAt: Number.NEGATIVE_INFINITY };

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** A prefix other sessions keep warm: what a host sends in all of them. */
  share(block: Block): void {
    const [first] = this.#pathOf([block]);
    if (first) first.node.usedAt = Number.POSITIVE_INFINITY;
  }

  /** Tokens read from the cache; the rest was written to it, or sent anew. Looked up when sent, renewed when answered. */
  send(blocks: readonly Block[], { sentMs, answeredMs }: Sent): number {
    const path = this.#pathOf(blocks);
    const read = this.#readAt(path, sentMs);
    const isAutomatic = this.#rules.kind === "automatic";
    for (const [index, { node }] of path.entries())
      if (isAutomatic || index < STANDING || index === path.length - 1 || index === read.index)
        node.usedAt = Math.max(node.usedAt, answeredMs);
    if (read.tokens < this.#rules.minimumTokens) return 0;
    return isAutomatic ? Math.floor(read.tokens / STEP_TOKENS) * STEP_TOKENS : read.tokens;
  }

  #pathOf(blocks: readonly Block[]): readonly { readonly node: Node; readonly tokens: number }[] {
    let node = this.#root;
    let tokens = 0;
    return blocks.map((block) => {
      const next = node.children.get(block.key) ?? {
        children: new Map<string, Node>(),
        usedAt: Number.NEGATIVE_INFINITY,
      };
      node.children.set(block.key, next);
      node = next;
      tokens += block.tokens;
      return { node, tokens };
    });
  }

  #readAt(path: readonly { readonly node: Node; readonly tokens: number }[], atMs: number) {
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const step = path[index];
      if (step && atMs - step.node.usedAt <= this.#rules.ttlMs) return { index, tokens: step.tokens };
    }
    return { index: -1, tokens: 0 };
  }
}
