/** What competes: something that, given a conversation as it grew, leaves a context. */
import type { Session, Store } from "palimpsest";
import type { SessionIndex } from "../probes/session-index.ts";
import type { Shown } from "../probes/shown.ts";

export interface Arranged {
  readonly session: Session;
  /** How many messages had been said at each compaction, in order. */
  readonly cuts: readonly number[];
  readonly windowTokens: number;
  readonly index: SessionIndex;
  /** The context may be no larger than this; absent: as large as the opponent makes it. */
  readonly budgetChars?: number | undefined;
  readonly seed: string;
}

export interface Left {
  readonly shown: Shown;
  /** Characters of all that is shown: the size opponents are compared at, since every tokenizer differs. */
  readonly chars: number;
  /** Whether it kept to the budget. */
  readonly fits: boolean;
  /** Compactions that changed nothing. */
  readonly refused: number;
  /** After each compaction, for the survival curve. */
  readonly stages: readonly Shown[];
  /** What can be read back, where anything can. */
  readonly store?: Store | undefined;
  readonly isStored?: ((value: string) => boolean) | undefined;
}

export interface Opponent {
  readonly name: string;
  readonly kind: "policy" | "control" | "native" | "peer";
  run(arranged: Arranged): Promise<Left>;
}
