/**
 * The conversation of an agent: messages in the AI SDK's words, each on disk before it counts. Words sent while the model
 * works wait here, on disk too, and join the next user message; so roles stay right whoever types when.
 */
import type { Json, JsonObject } from "../transcript/json.ts";
import { callId, callsIn, type Journal, type Recorded } from "./journal.ts";

export class Thread {
  readonly journal: Journal;
  readonly #now: () => number;
  /** Grows and is never edited: a session knows its history again by these very objects. */
  readonly #messages: Json[];
  #results: Json[];
  #steering: string[];

  constructor(journal: Journal, recorded: Partial<Recorded>, now: () => number) {
    this.journal = journal;
    this.#now = now;
    this.#messages = [...(recorded.messages ?? [])];
    this.#results = [...(recorded.results ?? [])];
    this.#steering = [...(recorded.steering ?? [])];
  }

  get messages(): readonly Json[] {
    return this.#messages;
  }

  get last(): Json | undefined {
    return this.#messages.at(-1);
  }

  get isSteered(): boolean {
    return this.#steering.length > 0;
  }

  /** Calls of the newest step that have no result yet. */
  get openCalls(): readonly JsonObject[] {
    const answered = new Set(this.#results.map((part) => callId(part as JsonObject)));
    return callsIn(this.last).filter((call) => !answered.has(callId(call)));
  }

  async steer(text: string): Promise<void> {
    await this.journal.append({ kind: "steering", at: this.#now(), text });
    this.#steering.push(text);
  }

  /** What the user says now, behind what was said meanwhile; `note` is the runtime's, and marked as such. */
  async user(words: readonly string[], note: string | undefined): Promise<void> {
    const said = [...this.#steering, ...words].filter((text) => text.trim() !== "");
    this.#steering = [];
    const content = [
      ...said.map((text) => ({ type: "text", text })),
      ...(note === undefined ? [] : [aside(note)]),
    ];
    if (content.length > 0) await this.#add({ role: "user", content });
  }

  assistant(message: JsonObject): Promise<void> {
    return this.#add(message);
  }

  /** One result; with the last of a step they become its message, so parallel calls are answered whole. */
  async result(part: JsonObject): Promise<void> {
    await this.journal.append({ kind: "result", at: this.#now(), part });
    this.#results.push(part);
    if (this.#results.length < callsIn(this.last).length) return;
    this.#messages.push({ role: "tool", content: this.#results });
    this.#results = [];
  }

  async #add(message: JsonObject): Promise<void> {
    await this.journal.append({ kind: "message", at: this.#now(), message });
    this.#messages.push(message);
  }
}

/** Text in the user's message that is not the user's words. Providers ignore the mark; our wire reads it. */
export function aside(text: string): JsonObject {
  return { type: "text", text, providerOptions: { palimpsest: { synthetic: true } } };
}
