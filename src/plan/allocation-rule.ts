/**
 * How the target is shared out. With it the target is one budget: what the user's words leave goes to the page and the
 * tail, and what one of them cannot use the other has. Without it each has limits of its own, as other systems do, and
 * what they leave over goes to nobody.
 */
export interface AllocationRule {
  /** Where somebody asks, or a provider refuses: this share of the target, and never more than this share of what there is. */
  readonly askedShare: number;
  readonly askedShareOfPrompt: number;
  /** What the user's words may take; over it the oldest keep their directives and a ref to the rest. */
  readonly wordsShare: number;
  /** Of what the words leave, the page's; the tail has the rest, newest steps first. */
  readonly pageShare: number;
  /** Of the page: the narrative, up to `summary.maxTokens`, and the table, up to `summary.table`. */
  readonly narrativeShare: number;
  readonly tableShare: number;
  /** The rest of the page are exact lines of what folded, under their sections, up to this. */
  readonly maxLineTokens: number;
}
