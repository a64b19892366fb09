/**
 * The request the host would send next, for a summarizer that asks on its prefix: what the provider has cached is read at a
 * tenth of the price, and nothing is sent twice. In the host's own wire every value goes out as it came in; in another it is
 * written anew, which is right but hits no cache.
 *
 * Calls still open at the end are left out: whatever is appended behind them would be refused.
 */
import type { Around } from "./live.ts";
import type { LiveRequest } from "./summarize/summarizer.ts";
import { defined, isList, type Json, type JsonObject, object } from "./transcript/json.ts";
import type { Transcript } from "./transcript/message.ts";
import { pairUp } from "./transcript/pairs.ts";
import { bodyWireNamed } from "./wire/wires.ts";

/** `wire`: whose spelling the transcript carries. */
export function liveRequest(transcript: Transcript, wire: string): LiveRequest {
  return { wire, in: (other) => object(bodyWireNamed(other).write(asBody(withoutOpenCalls(transcript)))) };
}

/** A bare list of messages is written as one; a request has a body around it. */
function asBody({ native, ...transcript }: Transcript): Transcript {
  return native === undefined || isList(native.value) ? transcript : { ...transcript, native };
}

/** From what a session is given before each request. */
export function liveRequestAround(wire: string, messages: readonly Json[], around: Around): LiveRequest {
  const transcript = () => bodyWireNamed(wire).read(bodyAround(wire, messages, around));
  return { wire, in: (other) => liveRequest(transcript(), wire).in(other) };
}

interface Fields {
  readonly system: string;
  readonly messages: string;
}

/** Where each wire has its system prompt and its messages. Chat Completions has the prompt among the messages. */
const FIELDS: Readonly<Record<string, Fields>> = {
  "anthropic-messages": { system: "system", messages: "messages" },
  "openai-responses": { system: "instructions", messages: "input" },
  gemini: { system: "systemInstruction", messages: "contents" },
  "ai-sdk": { system: "system", messages: "messages" },
};

function bodyAround(wire: string, messages: readonly Json[], { system, tools }: Around): JsonObject {
  const fields = FIELDS[wire];
  if (fields)
    return { ...defined({ [fields.system]: system }), ...defined({ tools }), [fields.messages]: messages };
  const opening = system === undefined ? [] : [{ role: "system", content: system }];
  return { messages: [...opening, ...messages], ...defined({ tools }) };
}

function withoutOpenCalls(transcript: Transcript): Transcript {
  const open = pairUp(transcript).pairs.find(({ result }) => result === undefined);
  if (!open) return transcript;
  return { ...transcript, messages: transcript.messages.slice(0, open.call.messageIndex) };
}
