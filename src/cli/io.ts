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
  const isWanted =
    io.env["FORCE_COLOR"] !== undefined ||
    (io.isTerminal && io.env["NO_COLOR"] === undefined && io.env["TERM"] !== "dumb");
  return pc.createColors(isWanted);
}

/** Exit codes, the same for every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
