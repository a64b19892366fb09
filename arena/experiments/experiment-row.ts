/** What one variant came to after so many compactions. */
export interface ExperimentRow {
  readonly variant: string;
  readonly compactions: number;
  readonly visible: number;
  readonly answered: number;
  readonly tokensShown: number;
  readonly tokensRead: number;
  /** By a model, where one was asked. */
  readonly modelAnswered?: number;
  readonly byFixture: Readonly<Record<string, number>>;
  readonly visibleByFixture: Readonly<Record<string, number>>;
  /** The eight sessions, or the four long ones with OpenCode's split. */
  readonly experiment: "arms" | "60/40";
}
