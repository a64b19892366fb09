/** What a user is told, and where: nothing that went wrong is silent. */
import type { Compacted } from "./compact.ts";
import { PalimpsestError } from "./errors.ts";
import type { SessionOptions } from "./session-options.ts";

export class Notices {
  readonly #to: Pick<SessionOptions, "onError" | "onNotice">;

  constructor(to: Pick<SessionOptions, "onError" | "onNotice">) {
    this.#to = to;
  }

  tell(notice: string | undefined): void {
    if (notice !== undefined) this.#to.onNotice?.(notice);
  }

  report(error: unknown, what = "the messages go out as they are"): void {
    if (this.#to.onError) this.#to.onError(error);
    else console.error(`palimpsest: ${what}: ${messageOf(error)}`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function compactedNotice({ compaction, originals }: Compacted): string {
  const { tokensBefore, tokensAfter } = compaction;
  return `Compacted: ${tokensBefore} → ${tokensAfter} tokens; ${originals.length} originals can be read back.`;
}

export function brokenNotice(failures: number, detail: string): string {
  return `Compaction did not help ${failures} times in a row (${detail}); it is off until the next one asked for.`;
}

export function unknownUsage(reported: object): PalimpsestError {
  const fields = Object.keys(reported).slice(0, 8).join(", ") || "nothing";
  return new PalimpsestError(
    "unknown-usage",
    `observe was given no usage we know (it has ${fields}). Give it the usage object of the response, as your SDK returned it.`,
  );
}
