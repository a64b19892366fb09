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

interface Step {
  readonly block: Block;
  readonly node: Node;
  /** Of the prompt up to here. */
  readonly tokens: number;
}

export interface Answered {
  readonly promptTokens: number;
  readonly readTokens: number;
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
  readonly #last: Step[] = [];

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** A prefix other sessions keep warm: what a host sends in all of them. */
  share(block: Block): void {
    const [first] = this.#pathOf([block]);
    if (first) first.node.usedAt = Number.POSITIVE_INFINITY;
  }

  /** What was read from the cache; the rest was written to it, or sent anew. Looked up when sent, renewed when answered. */
  send(blocks: readonly Block[], { sentMs, answeredMs }: Sent): Answered {
    const path = this.#pathOf(blocks);
    const read = this.#readAt(path, sentMs);
    const isAutomatic = this.#rules.kind === "automatic";
    const marked = [...Array(Math.min(STANDING, path.length)).keys(), read.index, path.length - 1];
    for (const index of isAutomatic ? path.keys() : marked) {
      const node = path[index]?.node;
      if (node) node.usedAt = Math.max(node.usedAt, answeredMs);
    }
    const promptTokens = path.at(-1)?.tokens ?? 0;
    if (read.tokens < this.#rules.minimumTokens) return { promptTokens, readTokens: 0 };
    const readTokens = isAutomatic ? Math.floor(read.tokens / STEP_TOKENS) * STEP_TOKENS : read.tokens;
    return { promptTokens, readTokens };
  }

  /** A request is the one before and a little more: only what is new is walked. */
  #pathOf(blocks: readonly Block[]): readonly Step[] {
    const path = this.#last;
    let same = 0;
    while (same < blocks.length && same < path.length && path[same]?.block === blocks[same]) same += 1;
    path.length = same;
    let { node, tokens } = path.at(-1) ?? { node: this.#root, tokens: 0 };
    for (const block of blocks.slice(same)) {
      const next: Node = node.children.get(block.key) ?? {
        children: new Map(),
        usedAt: Number.NEGATIVE_INFINITY,
      };
      node.children.set(block.key, next);
      node = next;
      tokens += block.tokens;
      path.push({ block, node, tokens });
    }
    return path;
  }

  #readAt(path: readonly Step[], atMs: number) {
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const step = path[index];
      if (step && atMs - step.node.usedAt <= this.#rules.ttlMs) return { index, tokens: step.tokens };
    }
    return { index: -1, tokens: 0 };
  }
}
