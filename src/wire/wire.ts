/**
 * What it means to be a wire: one spelling of a transcript. Two kinds, one rule.
 *
 * - A **body** is what an SDK sends to a provider: one JSON value.
 * - A **session file** is what a harness keeps on disk: more than the model ever sees, and sometimes less than
 *   it once saw, so reading one gives both (`whole`, `seen`).
 *
 * The rule: `write(read(x))` is `x`. Bytes for session files, deep-equal for bodies; what was not edited goes out
 * exactly as it came in, and what we have no word for is carried. `test/contracts/wire.ts` holds every wire to it.
 *
 * Every wire file has the same order: body types → read → write → detect → the exported wire.
 */
import type { Json } from "../transcript/json.ts";
import type { Message, Transcript } from "../transcript/message.ts";
import type { Source } from "./source.ts";

export interface BodyWire {
  readonly kind: "body";
  readonly name: string;
  readonly title: string;
  read(body: Json): Transcript;
  write(transcript: Transcript): Json;
  /** How sure we are that this value is such a body: 0 no, 1 it could be, 2 it has marks no other wire has. */
  detect(body: Json): Confidence;
}

export interface SessionWire {
  readonly kind: "session";
  readonly name: string;
  readonly title: string;
  read(source: Source): Session;
  /**
   * The file again, with the messages of `next` in place of those it was read from. Bytes of untouched lines are
   * copied from `source`. Without `next`, nothing is changed.
   */
  write(session: Session, source: Source, next?: Transcript): Iterable<Uint8Array>;
  detect(sample: Sample): Confidence;
}

export type Wire = BodyWire | SessionWire;
export type Confidence = 0 | 1 | 2;

/** The beginning of a file: enough to tell whose it is without reading it. */
export interface Sample {
  /** The first few KB as text. */
  readonly text: string;
  /** The JSON lines among them; for a document that spans lines, that document as far as it goes. */
  readonly records: readonly Json[];
}

export interface Session {
  readonly wire: string;
  /** Every message of the live branch, oldest first, as it was before any native compaction. */
  readonly whole: Transcript;
  /** What the model is sent next: native compactions and prunings applied. Shares messages with `whole`. */
  readonly seen: Transcript;
  readonly compactions: readonly NativeCompaction[];
  /** Other conversations in the same file: subagents, branches that were rewound. */
  readonly asides: readonly Aside[];
  /** What could not be read, and where. Nothing is thrown away silently. */
  readonly skipped: readonly Skipped[];
  readonly about: About;
  /** What the wire needs to write the file again. Only its own `write` looks into it. */
  readonly native?: unknown;
}

export interface NativeCompaction {
  /** `summary`: messages gave way to a summary. `clear`: results were emptied in place. */
  readonly kind: "summary" | "clear";
  /** How many messages of `whole` had been said when it happened. */
  readonly at: number;
  readonly trigger?: "auto" | "manual";
  /** What the harness wrote in place of what it removed; absent where it is encrypted or there is none. */
  readonly summary?: Message;
  /** Messages that left the context: indices into `whole`. For `clear`, those whose results were emptied. */
  readonly removed: readonly number[];
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

export interface Aside {
  /** `instance`: a conversation of its own, beside the one that was read (rows of an evaluation). */
  readonly kind: "subagent" | "rewound" | "instance";
  readonly name: string;
  readonly transcript: Transcript;
}

export interface Skipped {
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly why: string;
}

export interface About {
  readonly id?: string;
  readonly cwd?: string;
  readonly title?: string;
  readonly startedAt?: number;
  /** What the host itself takes for the window; it may reserve part of what the model could take. */
  readonly windowTokens?: number;
}
