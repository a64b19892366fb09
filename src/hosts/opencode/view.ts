/**
 * When the companion has to be asked what the model is shown. Asking costs the whole list twice through JSON, so it is asked
 * where something may have changed: at the first sight of a session, while edits stand, and when enough has come in to look
 * again. Everything in between goes out as OpenCode has it.
 */
import { isObject, type JsonObject, list, number, object, string } from "../../transcript/json.ts";

/** In step with the session, which looks again when the context has grown by a twentieth of the window. */
const LOOK_AGAIN_SHARE = 0.05;
/** A token has about four characters of English or code; three makes it sooner rather than later. */
const CHARS_PER_TOKEN = 3;
/** Where OpenCode does not know its model's window: the smallest in use. */
export const WINDOW_TOKENS = 128_000;

interface Looked {
  readonly chars: number;
  readonly isEdited: boolean;
}

export class Looking {
  readonly #looked = new Map<string, Looked>();
  readonly #wanted = new Set<string>();

  isDue(sessionId: string, messages: readonly JsonObject[], windowTokens: number): boolean {
    const before = this.#looked.get(sessionId);
    // A first message has nothing behind it.
    if (!before) return messages.length > 1 || charsIn(messages) > windowTokens;
    const grown = charsIn(messages) - before.chars;
    return (
      before.isEdited ||
      this.#wanted.delete(sessionId) ||
      Math.abs(grown) > windowTokens * CHARS_PER_TOKEN * LOOK_AGAIN_SHARE
    );
  }

  looked(sessionId: string, messages: readonly JsonObject[], isEdited: boolean): void {
    this.#looked.set(sessionId, { chars: charsIn(messages), isEdited });
  }

  /** The agent asked for a compaction. */
  want(sessionId: string): void {
    this.#wanted.add(sessionId);
  }
}

/** Texts and results, by their length: no serializing. */
export function charsIn(messages: readonly JsonObject[]): number {
  let chars = 0;
  for (const { parts } of messages)
    for (const part of list(parts)) {
      const { text, state } = object(part);
      const { output, error } = object(state);
      for (const said of [text, output, error]) if (typeof said === "string") chars += said.length;
    }
  return chars;
}

/** What OpenCode lets a model be sent before it compacts by itself: the input limit, or the window less the answer. */
export function windowIn(providers: unknown, { providerID, modelID }: JsonObject): number | undefined {
  const found = list(object(providers as JsonObject)["providers"]).find(
    (provider) => isObject(provider) && provider["id"] === providerID,
  );
  const limit = object(object(object(object(found)["models"])[string(modelID) ?? ""])["limit"]);
  const [input, context, output] = [limit["input"], limit["context"], limit["output"]].map(number);
  if (input) return input;
  return context ? context - Math.min(output ?? 0, MOST_OUTPUT) : undefined;
}

/** OpenCode asks for no longer answers than this. */
const MOST_OUTPUT = 32_000;
