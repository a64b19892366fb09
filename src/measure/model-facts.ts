/** What the table of models says of each: see `model-table.ts`. */

export type Vendor =
  | "anthropic"
  | "openai"
  | "google"
  | "deepseek"
  | "moonshot"
  | "zai"
  | "alibaba"
  | "mistral"
  | "meta";

export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** Short and long TTL. Absent where writing to the cache costs no more than reading the prompt. */
  readonly cacheWrite?: number;
  readonly cacheWrite1h?: number;
}

export interface CacheRules {
  /** `marked`: what is cached is marked in the request. `automatic`: any repeated prefix is. */
  readonly kind: "marked" | "automatic";
  readonly ttlMinutes: number;
  /** The longer life that can be had for a higher write price. */
  readonly longTtlMinutes?: number;
  /** A shorter prefix is not cached, silently. */
  readonly minimumTokens: number;
}

export interface ModelFacts {
  readonly name: string;
  readonly vendor: Vendor;
  /** Prompt and answer together. */
  readonly windowTokens: number;
  /** Where less may be sent than the window holds. */
  readonly inputTokens?: number;
  /** The window of the same model when asked for with `[1m]`, as hosts spell it. */
  readonly longWindowTokens?: number;
  readonly outputTokens: number;
  readonly cache: CacheRules;
  readonly prices?: Prices;
  /** What a whole request costs once its prompt is larger than `above`. */
  readonly longPrices?: { readonly above: number; readonly prices: Prices };
  readonly asOf: string;
  readonly source: string;
}

/** A line of the table: what its vendor's lines have in common is said once. */
export type Row = Omit<ModelFacts, "name" | "vendor" | "cache" | "asOf" | "source"> &
  Partial<Pick<ModelFacts, "asOf" | "source">>;

export const MODELS_DEV = "https://github.com/anomalyco/models.dev";
/** Long published and unchanged when last seen, but not looked up for this table. */
export const RECALLED = "recalled from the vendor's price list of 2025, not looked up again";
