/** The command line through its front door: words in, what was printed and the exit code out. */
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function run(words: readonly string[], io: Partial<Io> = {}): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await main(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    columns: 100,
    env: {},
    ...io,
  });
  return { code, out, err };
}
