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
    if (notice !== undefined) this.#call(() => this.#to.onNotice?.(notice), "onNotice failed");
  }

  report(error: unknown, what = "the messages go out as they are"): void {
    const { onError } = this.#to;
    if (onError) this.#call(() => onError(error), `${what} (${messageOf(error)}), and onError failed`);
    else say(error, what);
  }

  /** For `catch`: it is said, and the answer is no. */
  failing(what?: string): (error: unknown) => false {
    return (error) => {
      this.report(error, what);
      return false;
    };
  }

  /** Whoever is told may fail as well; the agent goes on. */
  #call(callback: () => void, what: string): void {
    try {
      callback();
    } catch (error) {
      say(error, what);
    }
  }
}

function say(error: unknown, what: string): void {
  console.error(`palimpsest: ${what}: ${messageOf(error)}`);
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

export function unknownUsage(reported: object | null | undefined): PalimpsestError {
  const fields =
    Object.keys(reported ?? {})
      .slice(0, 8)
      .join(", ") || "nothing";
  return new PalimpsestError(
    "unknown-usage",
    `observe was given no usage we know (it has ${fields}). Give it the usage object of the response, as your SDK returned it.`,
  );
}
