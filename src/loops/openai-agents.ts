/**
 * Palimpsest in a loop of the OpenAI Agents SDK for JavaScript.
 *
 *   const runner = new Runner({ modelProvider: compacting(new OpenAIProvider(), session) });
 *   const agent = new Agent({ …, tools: [...guarded(mine), ...refTools(session).map(tool)] });
 *
 * It wraps the model, not `callModelInputFilter`: what a filter returns is also what an Agents `Session` keeps, and the
 * history must stay whole there; and a filter sees neither the usage nor an overflow.
 *
 * No type of the SDK is imported: what is touched here is little, and its copy would be a second one beside the user's.
 */
import { guardCall } from "../guard.ts";
import type { AgentSession } from "../session.ts";
import {
  defined,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
  parseJson,
  string,
} from "../transcript/json.ts";
import { Mirror } from "./mirror.ts";

interface Request {
  readonly systemInstructions?: string;
  readonly input: string | readonly object[];
  readonly tools: readonly object[];
}

/** Calls are methods here: a model of the SDK's own type fits, whatever else its requests hold. */
interface Model {
  getResponse(request: never): Promise<{ readonly usage: object }>;
  getStreamedResponse(request: never): AsyncIterable<object>;
}

interface ModelProvider {
  getModel(name?: string): Model | Promise<Model>;
}

/** The same provider, whose models are sent what the session prepares. */
export function compacting<P extends ModelProvider>(provider: P, session: AgentSession): P {
  const getModel = async (name?: string) => compactingModel(await provider.getModel(name), session);
  return override(provider, { getModel });
}

export function compactingModel<M extends Model>(model: M, session: AgentSession): M {
  const mirror = new Mirror({ wire: "openai-responses", ours, theirs });
  const prepared = async (request: Request): Promise<Request> => {
    const input = itemsOf(request.input);
    const around = { system: request.systemInstructions ?? "", tools: json(request.tools) };
    const sent = await mirror.prepare(session, input, around);
    HISTORIES.set(sent, input);
    return { ...request, input: sent };
  };
  const shorter = async (request: Request, error: unknown): Promise<Request> => {
    const input = await mirror.recover(session, error, historyOf(request));
    if (!input) throw error;
    return { ...request, input };
  };
  return override(model, {
    getResponse: async (request: Request) => {
      const asked = await prepared(request);
      const ask = (with_: Request) => model.getResponse(with_ as never);
      const response = await ask(asked).catch(async (error: unknown) => ask(await shorter(asked, error)));
      session.observe(response.usage);
      return response;
    },
    getStreamedResponse: (request: Request) =>
      streamed(session, {
        ask: (with_) => model.getStreamedResponse(with_ as never),
        request: prepared(request),
        shorter,
      }),
  });
}

interface Streaming {
  readonly ask: (request: Request) => AsyncIterable<object>;
  readonly request: Promise<Request>;
  readonly shorter: (request: Request, error: unknown) => Promise<Request>;
}

/** An overflow comes before anything was said; what fails later cannot be asked again without saying it twice. */
async function* streamed(
  session: AgentSession,
  { ask, request, shorter }: Streaming,
): AsyncGenerator<object> {
  const asked = await request;
  let isBegun = false;
  try {
    for await (const event of observed(session, ask(asked))) {
      isBegun = true;
      yield event;
    }
  } catch (error) {
    if (isBegun) throw error;
    yield* observed(session, ask(await shorter(asked, error)));
  }
}

async function* observed(session: AgentSession, events: AsyncIterable<object>): AsyncGenerator<object> {
  for await (const event of events) {
    const { usage } = object(object(json(event))["response"]);
    if (isObject(usage)) session.observe(usage);
    yield event;
  }
}

/** The same object but for these: methods of a class keep their `this`. */
function override<T extends object>(of: T, methods: object): T {
  return new Proxy(of, {
    get: (target, key) => {
      if (Object.hasOwn(methods, key)) return Reflect.get(methods, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** What each input was made of: requests of one model may run side by side. */
const HISTORIES = new WeakMap<object, readonly object[]>();

function historyOf({ input }: Pick<Request, "input">): readonly object[] {
  const items = itemsOf(input);
  return HISTORIES.get(items) ?? items;
}

function itemsOf(input: Request["input"]): readonly object[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

/** Their items are those of the Responses API with other names for the same things. */
function ours(item: object): JsonObject {
  const fields = object(json(item));
  const { callId, type } = fields;
  if (type === "function_call") return { ...fields, call_id: callId };
  if (type === "function_call_result")
    return { type: "function_call_output", call_id: callId, output: outputOf(fields["output"]) };
  if (type === "reasoning")
    return { ...fields, summary: list(fields["content"]), encrypted_content: sealOf(fields) };
  return type === undefined ? { type: "message", ...fields } : fields;
}

function sealOf(fields: JsonObject): Json | undefined {
  const data = object(fields["providerData"]);
  return data["encrypted_content"] ?? data["encryptedContent"];
}

function outputOf(output: Json | undefined): Json {
  const text = string(object(output)["text"]);
  return text ?? output ?? "";
}

function theirs(message: JsonObject, original: object | undefined): object {
  if (original) return { ...withoutId(original), ...defined({ id: message["id"] }), ...changed(message) };
  const text = textOf(message["content"]);
  if (message["role"] !== "assistant") return { role: "user", content: text };
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

/** An item without the reasoning it came from may not be sent under its id: the wire has taken it away. */
function withoutId(original: object): object {
  const { id: _, ...item } = object(json(original));
  return item;
}

function changed(message: JsonObject): JsonObject {
  if (message["type"] === "function_call_output")
    return { output: { type: "text", text: textOf(message["output"]) } };
  if (message["type"] === "function_call") return { arguments: message["arguments"] };
  return { content: message["content"] };
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => string(object(part)["text"]) ?? "")
    .join("\n");
}

function json(value: object): JsonObject & readonly Json[] {
  return value as JsonObject & readonly Json[];
}

export interface RefTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    type: "object";
    properties: Record<string, { type: string; description?: string }>;
    required: string[];
    additionalProperties: true;
  };
  readonly strict: false;
  readonly execute: (input: unknown) => Promise<string>;
}

/** `read_ref`, `list_refs` and `compact`, as `tool()` takes them. */
export function refTools(session: AgentSession): RefTool[] {
  const { schemas, run } = session.tools;
  return schemas.map(({ name, description = "", input }) => ({
    name,
    description,
    // What the schemas of our tools are; `ToolSchema` says only that they are JSON.
    parameters: {
      required: [],
      ...object(input),
      additionalProperties: true,
    } as unknown as RefTool["parameters"],
    strict: false,
    execute: async (given) => (await run(name, given as Json)).text,
  }));
}

/** The same tools; a call that would write a stub is not run, and the model is told how to get the original. */
export function guarded<T extends object>(tools: readonly T[]): T[] {
  return tools.map((tool) => {
    const { name, invoke }: { readonly name?: unknown; readonly invoke?: unknown } = tool;
    if (typeof name !== "string" || typeof invoke !== "function") return tool;
    const run = (context: unknown, input: string, details: unknown): unknown =>
      guardCall({ name, input: parseJson(input) ?? input })?.text ??
      invoke.call(tool, context, input, details);
    return { ...tool, invoke: run };
  });
}
