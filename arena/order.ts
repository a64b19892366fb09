/** What a run of the arena was asked to do. Plain data: workers are given it too. */

export interface ArenaOrder {
  /** A file, a folder or a pattern. */
  readonly sessions: string;
  /** Names of opponents; all where not said. */
  readonly opponents?: readonly string[] | undefined;
  readonly cascades: readonly number[];
  /** In characters / 4. */
  readonly budgets: readonly number[];
  /** Price every session as if it had run on this model. */
  readonly prices?: string | undefined;
  /** Under the rules of this row of the cache table, in place of each session's own. */
  readonly cache?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly trigger?: number | undefined;
  /** How many processors to use. */
  readonly workers: number;
}
