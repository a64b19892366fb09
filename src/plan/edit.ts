/**
 * Edits: what a compaction does to named parts. They are data; applying them is `apply/view.ts`, and nothing else.
 *
 * A part is addressed by its content and which of its equals it is, never by position or by ids that hosts
 * regenerate. So the same edits find the same parts in a history that was resent, resumed or forked, and simply do not
 * apply where a part is no longer there.
 */
import type { Address } from "../transcript/ref.ts";

export type { Address } from "../transcript/ref.ts";

interface EditOf<K extends string> {
  readonly kind: K;
  readonly at: Address;
  /** For the model (in the stub), for the ledger, for the inspector. */
  readonly why: string;
  /** Tokens that leave the context by it: what was there, less what stands there now. */
  readonly tokens: number;
}

export type Edit =
  /** The content is gone; a stub names its ref and what it was. */
  | (EditOf<"stub"> & { readonly text: string })
  /** Part of the content stays (head and tail, a preview made for its kind), with its ref. */
  | (EditOf<"trim"> & { readonly text: string })
  /** The part goes without a trace in the context: thinking whose seal broke, harness noise. */
  | EditOf<"drop">
  /** The part leaves with its step; the page of the compaction stands for all of them. */
  | EditOf<"fold">;

export function addressKey({ ref, occurrence }: Address): string {
  return occurrence === 0 ? ref : `${ref}#${occurrence}`;
}
