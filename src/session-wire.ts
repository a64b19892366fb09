/**
 * Which wire the messages of a session are in: told, or found. A plain first message could be any wire's, so what was found
 * stays a guess until a message bears a mark that no other wire has; a first "Hello" must not decide how the tool calls
 * after it are read.
 */
import type { Json } from "./transcript/json.ts";
import type { BodyWire } from "./wire/wire.ts";
import { bodyWireFor } from "./wire/wires.ts";

const SURE = 2;

export class SessionWire {
  #wire: BodyWire | undefined;
  #isSure = false;
  #looked = 0;

  of(messages: readonly Json[], named: string | BodyWire | undefined): BodyWire {
    if (named !== undefined) return this.#told(bodyWireFor(messages, named));
    if (this.#wire && this.#isSure) return this.#wire;
    // Only what is new is looked at: a long plain chat would be read anew before each request.
    const from = messages.length < this.#looked ? 0 : this.#looked;
    this.#looked = messages.length;
    if (this.#wire && from === messages.length) return this.#wire;
    const found = bodyWireFor(messages.slice(from));
    const isSure = found.detect(messages.slice(from)) === SURE;
    return this.#wire && !isSure ? this.#wire : this.#is(found, isSure);
  }

  /** For one call. To those that name none it is a guess at most: a title may be asked for in another spelling. */
  #told(wire: BodyWire): BodyWire {
    this.#wire ??= wire;
    return wire;
  }

  #is(wire: BodyWire, isSure = true): BodyWire {
    this.#wire = wire;
    this.#isSure = isSure;
    return wire;
  }
}
