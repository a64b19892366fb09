/**
 * Palimpsest in a loop of the Vercel AI SDK (versions 6 and 7).
 *
 *   const model = wrapLanguageModel({ model: anthropic("claude-…"), middleware: compacting(session) });
 *   await generateText({ model, tools: { ...guarded(mine), ...refTools(session) }, messages, stopWhen });
 *
 * The middleware sees every request: it shortens the prompt, tells the session what was used, and after "prompt is too
 * long" compacts and asks again, once. `stepping` does the first two from `prepareStep`: there the SDK hands over the very
 * same message objects each step, so that a step costs what is new in it; the prompt a middleware gets is made anew each
 * time and read whole.
 *
 * No type of the SDK is imported: two versions are in use, and what is touched here is the same in both.
 */
import { guardCall } from "../guard.ts";
import type { AgentSession } from "../session.ts";
import { isObject, type Json, type JsonObject, string } from "../transcript/json.ts";

const WIRE = "ai-sdk";

/** As much of a provider's call options as is looked at. */
interface Params {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[] | undefined;
}

interface Wrapping<P, G, S> {
  readonly doGenerate: () => PromiseLike<G>;
  readonly doStream: () => PromiseLike<S>;
  readonly params: P;
  readonly model: { doGenerate(params: P): PromiseLike<G>; doStream(params: P): PromiseLike<S> };
}

type Answered = { readonly usage: object; readonly finishReason: unknown };
type Streamed<T> = { readonly stream: ReadableStream<T> };

export interface CompactingMiddleware<V extends string> {
  readonly specificationVersion: V;
  transformParams<P extends Params>(options: { readonly params: P }): Promise<P>;
  wrapGenerate<P extends Params, G extends Answered, S>(options: Wrapping<P, G, S>): Promise<G>;
  wrapStream<P extends Params, G, T, S extends Streamed<T>>(options: Wrapping<P, G, S>): Promise<S>;
}

/** `version` is what the SDK's types ask for: `v3` in version 6, `v4` in version 7. */
export function compacting(session: AgentSession): CompactingMiddleware<"v3">;
export function compacting<V extends string>(session: AgentSession, version: V): CompactingMiddleware<V>;
export function compacting(session: AgentSession, version = "v3"): CompactingMiddleware<string> {
  // What each prompt was made of: requests of one model may run side by side.
  const histories = new WeakMap<object, readonly Json[]>();
  const recover: Recover = async (error, { prompt }) =>
    (await session.recover(error, histories.get(prompt)))?.messages;
  return {
    specificationVersion: version,
    transformParams: async ({ params }) => {
      const { system, messages } = split(params.prompt);
      const around = {
        wire: WIRE,
        system: json(system),
        ...(params.tools ? { tools: json(params.tools) } : {}),
      };
      const prepared = await session.prepare(messages, around);
      const prompt = [...system, ...prepared.messages];
      histories.set(prompt, messages);
      return { ...params, prompt };
    },
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const answer = await orShorter(recover, params, doGenerate, (shorter) => model.doGenerate(shorter));
      session.observe(answer.usage, { stopReason: stopReason(answer.finishReason) });
      return answer;
    },
    wrapStream: async ({ doStream, params, model }) => {
      const answer = await orShorter(recover, params, doStream, (shorter) => model.doStream(shorter));
      return { ...answer, stream: answer.stream.pipeThrough(observing(session)) };
    },
  };
}

type Recover = (error: unknown, params: Params) => Promise<readonly Json[] | undefined>;

/** The prompt as it is; after an overflow compacted, once. Any other error is the caller's. */
async function orShorter<P extends Params, R>(
  recover: Recover,
  params: P,
  ask: () => PromiseLike<R>,
  askAgain: (params: P) => PromiseLike<R>,
): Promise<R> {
  try {
    return await ask();
  } catch (error) {
    const shorter = await recover(error, params);
    if (!shorter) throw error;
    return askAgain({ ...params, prompt: [...split(params.prompt).system, ...shorter] });
  }
}

function observing<T>(session: AgentSession): TransformStream<T, T> {
  return new TransformStream({
    transform(part, controller) {
      const fields = json(part);
      if (fields["type"] === "finish" && isObject(fields["usage"]))
        session.observe(fields["usage"], { stopReason: stopReason(fields["finishReason"]) });
      controller.enqueue(part);
    },
  });
}

/** `{ unified, raw }`: the provider's own word tells more. Version 6 has a plain string in some places. */
function stopReason(reason: unknown): string | undefined {
  const { raw, unified } = json(reason);
  return string(raw) ?? string(unified) ?? (typeof reason === "string" ? reason : undefined);
}

/** System messages stand before the conversation and are not part of it. */
function split(prompt: readonly object[]): {
  readonly system: readonly object[];
  readonly messages: readonly Json[];
} {
  const found = prompt.findIndex((message) => json(message)["role"] !== "system");
  const start = found === -1 ? prompt.length : found;
  return { system: prompt.slice(0, start), messages: prompt.slice(start).map(json) };
}

/** What the SDK holds in memory is JSON but for bytes and URLs, which the wire carries through unlooked-at. */
function json(value: unknown): JsonObject {
  return value as JsonObject;
}

export interface StepHooks {
  prepareStep<M extends object>(options: { readonly messages: readonly M[] }): Promise<{ messages: M[] }>;
  onStepFinish(step: { readonly usage: object; readonly finishReason?: unknown }): void;
}

/** `generateText({ …, ...stepping(session, { system, tools }) })`. An overflow is not seen from here. */
export function stepping(session: AgentSession, around: { readonly system?: string } = {}): StepHooks {
  const history = new CarriedHistory();
  return {
    prepareStep: async <M extends object>({ messages }: { readonly messages: readonly M[] }) => {
      const prepared = await session.prepare(history.behind(messages).map(json), { ...around, wire: WIRE });
      // Its own objects, or spelled like them.
      return { messages: history.handOut(prepared.messages) as unknown as M[] };
    },
    onStepFinish: ({ usage, finishReason }) =>
      session.observe(usage, { stopReason: stopReason(finishReason) }),
  };
}

/**
 * Version 7 carries what `prepareStep` returned into the next step and adds to it; version 6 begins from the whole history
 * again. The session wants the history: what was shortened once is never shortened as if it were the original.
 */
class CarriedHistory {
  #history: readonly object[] = [];
  #handedOut: readonly Json[] = [];

  behind(messages: readonly object[]): readonly object[] {
    const length = this.#handedOut.length;
    const isCarried =
      length > 0 &&
      messages[0] === this.#handedOut[0] &&
      messages[length - 1] === this.#handedOut[length - 1];
    this.#history = isCarried ? [...this.#history, ...messages.slice(length)] : messages;
    return this.#history;
  }

  handOut(messages: readonly Json[]): readonly Json[] {
    this.#handedOut = [...messages];
    return [...messages];
  }
}

/** Standard Schema, which both versions read without a library of theirs. */
interface JsonSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: JsonObject };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
    readonly types?: { readonly input: JsonObject; readonly output: JsonObject };
  };
}

export interface RefTool {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly execute: (input: JsonObject) => Promise<string>;
}

/** `read_ref`, `list_refs` and `compact`, as `generateText` takes them. */
export function refTools(session: AgentSession): Record<string, RefTool> {
  const { schemas, run } = session.tools;
  return Object.fromEntries(
    schemas.map(({ name, description = "", input }) => [
      name,
      { description, inputSchema: schemaOf(input), execute: async (given) => (await run(name, given)).text },
    ]),
  );
}

function schemaOf(input: JsonObject): JsonSchema {
  const schema = () => ({ ...input });
  return {
    "~standard": {
      version: 1,
      vendor: "palimpsest",
      // Whatever comes is answered: `run` refuses a wrong input in words the model understands.
      validate: (value) => ({ value: json(value) }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}

/** The same tools; a call that would write a stub is not run, and the model is told how to get the original. */
export function guarded<T extends Record<string, object>>(tools: T): T {
  const guardedTool = (name: string, tool: object): object => {
    const execute: unknown = json(tool)["execute"];
    if (typeof execute !== "function") return tool;
    const run = (input: unknown, options: unknown): unknown =>
      guardCall({ name, input: json(input) })?.text ?? execute.call(tool, input, options);
    return { ...tool, execute: run };
  };
  const entries = Object.entries(tools).map(([name, tool]) => [name, guardedTool(name, tool)]);
  // The same names, the same tools but for a check before they run.
  return Object.fromEntries(entries) as T;
}
