/**
 * What a command may touch: its words, where it prints, and what kind of place that is. The real ones are made once
 * in `bin.ts`; tests pass their own.
 */
import pc from "picocolors";

export interface Io {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** Whether a person is watching: colours, bars that fit the width, progress. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor(io: Io): Colors {
  return pc.createColors(wantsColors(io));
}

/** As Node has it: forced wins, `FORCE_COLOR=0` is a no, and a variable set to nothing is not set. */
export function wantsColors({ env, isTerminal }: Pick<Io, "env" | "isTerminal">): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced) return forced !== "0" && forced !== "false";
  return isTerminal && !refused && terminal !== "dumb";
}

/** Exit codes, the same for every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
