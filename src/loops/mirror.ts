/**
 * Messages of a library we have no wire for, mirrored in one we have: each of theirs is spelled once in ours, prepared, and
 * what comes back is the very same object where nothing was changed. A mirrored message carries the one it was made from
 * under a symbol: wires copy what they do not know, JSON does not show it.
 */
import type { Around } from "../live.ts";
import type { AgentSession } from "../session.ts";
import { type Json, type JsonObject, object } from "../transcript/json.ts";

const ORIGINAL = Symbol("original");

export interface Spelling<Theirs extends object> {
  /** The wire the mirror is spelled in. */
  readonly wire: string;
  readonly ours: (theirs: Theirs) => JsonObject;
  /** A message that was changed, or, without an original, one of ours. */
  readonly theirs: (message: JsonObject, original: Theirs | undefined) => Theirs;
}

export class Mirror<Theirs extends object> {
  readonly #spelling: Spelling<Theirs>;
  /** The same object each time, so that a session recognises a history that only grew. */
  readonly #mirrored: WeakMap<Theirs, JsonObject> = new WeakMap();

  constructor(spelling: Spelling<Theirs>) {
    this.#spelling = spelling;
  }

  async prepare(session: AgentSession, messages: readonly Theirs[], around: Around): Promise<Theirs[]> {
    const prepared = await session.prepare(
      messages.map((message) => this.#mirror(message)),
      { ...around, wire: this.#spelling.wire },
    );
    return this.back(prepared.messages);
  }

  /** After an overflow: the shorter of what `prepare` was given, or undefined where the error is another. */
  async recover(
    session: AgentSession,
    error: unknown,
    messages: readonly Theirs[],
  ): Promise<Theirs[] | undefined> {
    const prepared = await session.recover(
      error,
      messages.map((message) => this.#mirror(message)),
    );
    return prepared && this.back(prepared.messages);
  }

  back(messages: readonly Json[]): Theirs[] {
    return messages.map((message) => {
      const fields = object(message);
      const original = (fields as { readonly [ORIGINAL]?: Theirs })[ORIGINAL];
      if (original && this.#mirrored.get(original) === message) return original;
      return this.#spelling.theirs(fields, original);
    });
  }

  #mirror(message: Theirs): JsonObject {
    const known = this.#mirrored.get(message);
    if (known) return known;
    const made = { ...this.#spelling.ours(message), [ORIGINAL]: message };
    this.#mirrored.set(message, made);
    return made;
  }
}
