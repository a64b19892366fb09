/**
 * How providers' prompt caches behave, as a dated table. Two things are from their documents, two are read off the
 * recorded usage of real sessions: the steps in which automatic caches count, and that they keep what is used for
 * longer than the minutes they promise.
 */
import { type Model, PalimpsestError, type Session } from "palimpsest";

export interface CacheRules {
  /**
   * `marked` (Anthropic): a prefix is there if an earlier request ended in it. `automatic` (OpenAI, Gemini): any prefix an
   * earlier request had. `none`: every request pays for all of it.
   */
  readonly kind: "marked" | "automatic" | "none";
  readonly ttlMs: number;
  /** A shorter prefix is not cached. */
  readonly minimumTokens: number;
  /** What is read is counted in these. */
  readonly stepTokens: number;
}

interface Row extends CacheRules {
  readonly asOf: string;
  readonly source: string;
}

const MINUTE = 60_000;
/** Files tell when a message was written, not when its request went out: prefixes were still read 304 seconds later. */
const SLACK_MS = 15_000;
const ANTHROPIC = { kind: "marked", minimumTokens: 1_024, stepTokens: 1, asOf: "2026-11-18" } as const;
const AUTOMATIC = { kind: "automatic", ttlMs: 60 * MINUTE, asOf: "2026-11-18" } as const;

export const CACHE_TABLE: Readonly<Record<string, Row>> = {
  "anthropic-5m": {
    ...ANTHROPIC,
    ttlMs: 5 * MINUTE + SLACK_MS,
    source: "docs: exact prefix, up to 4 marks, 5 minutes renewed by reading",
  },
  "anthropic-1h": {
    ...ANTHROPIC,
    ttlMs: 60 * MINUTE + SLACK_MS,
    source: "docs: ttl 1h, written at twice the input price",
  },
  openai: {
    ...AUTOMATIC,
    minimumTokens: 1_024,
    stepTokens: 128,
    source: "docs: from 1,024 tokens in steps of 128, kept 5 to 60 minutes",
  },
  "openai-512": {
    ...AUTOMATIC,
    minimumTokens: 1_024,
    stepTokens: 512,
    source: "gpt-5.5 as recorded by pi and Codex: reads are multiples of 512",
  },
  gemini: {
    ...AUTOMATIC,
    minimumTokens: 2_048,
    stepTokens: 2_048,
    source: "gemini-3 as recorded by mini-swe-agent and Gemini CLI: reads go up by about 2,040",
  },
  none: { ...AUTOMATIC, kind: "none", minimumTokens: 0, stepTokens: 1, source: "nothing is cached" },
};

export const cacheNames: readonly string[] = Object.keys(CACHE_TABLE);

export function cacheRulesNamed(name: string): CacheRules {
  const row = CACHE_TABLE[name];
  if (row) return row;
  throw new PalimpsestError("usage", `There is no cache "${name}". Known: ${cacheNames.join(", ")}.`);
}

/** The rules the session ran under: those of its model's make, the long life where the host asked for it. */
export function rulesFor(session: Session, model: Model): CacheRules {
  if (hasNoCache(session)) return cacheRulesNamed("none");
  const row = cacheRulesNamed(rowFor(session, model));
  return row.kind === "marked" ? { ...row, minimumTokens: model.cache.minimumTokens } : row;
}

function rowFor(session: Session, { vendor, name, cache }: Model): string {
  if (cache.kind === "marked") return usesLongLife(session) ? "anthropic-1h" : "anthropic-5m";
  if (vendor === "google") return "gemini";
  return /^gpt-5\.5/.test(name) ? "openai-512" : "openai";
}

export function usesLongLife({ whole }: Session): boolean {
  return whole.messages.some(({ usage }) => (usage?.cacheWrite1hTokens ?? 0) > 0);
}

/** So many requests without one token read: that provider has no cache, or the host does not use it. */
const ENOUGH_REQUESTS = 10;

function hasNoCache({ whole }: Session): boolean {
  const usages = whole.messages.flatMap(({ usage }) => usage ?? []);
  return usages.length >= ENOUGH_REQUESTS && usages.every(({ cacheReadTokens }) => cacheReadTokens === 0);
}
