/** The command line through its front door: words in, what was printed and the exit code out. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

export const EXAMPLE: string = resolve(import.meta.dirname, "../../examples/sessions/webhook-retries.jsonl");

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function run(words: readonly string[], io: Partial<Io> = {}): Promise<Ran> {
  const out: Uint8Array[] = [];
  let err = "";
  const code = await main(words, {
    out: (text) => {
      out.push(Buffer.from(text));
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    columns: 100,
    env: {},
    ...io,
  });
  return { code, out: Buffer.concat(out).toString(), err };
}

/** A folder for one test file, gone when its tests are. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
