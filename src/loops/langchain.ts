/**
 * Palimpsest in an agent of LangChain.js (version 1).
 *
 *   const agent = createAgent({
 *     model,
 *     tools: [...mine, ...refTools(session).map(({ run, ...about }) => tool(run, about))],
 *     middleware: [createMiddleware(compacting(session, { ToolMessage }))],
 *   });
 *
 * The state of the graph stays whole: what the model is sent is made for each call and not written back. A checkpointed
 * thread opened again with the same session id goes on where it was.
 *
 * Nothing of LangChain is imported: its messages are recognised by what they say of themselves, and a changed one is a copy
 * of the user's own class. `ToolMessage` is asked for because the guard has to answer in place of a tool.
 */
import { guardCall } from "../guard.ts";
import type { AgentSession } from "../session.ts";
import { type Json, type JsonObject, object, string } from "../transcript/json.ts";
import { blocksOf, ours, theirs } from "./langchain-messages.ts";
import { Mirror } from "./mirror.ts";

interface ModelRequest {
  readonly messages: readonly object[];
  readonly systemMessage?: object | undefined;
}

interface ToolRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
}

type ToolMessageClass<T> = new (fields: {
  content: string;
  tool_call_id: string;
  name: string;
  status: "error";
}) => T;

export interface CompactingConfig<T> {
  readonly name: string;
  wrapModelCall<R extends ModelRequest, A>(
    request: R,
    handler: (request: R) => PromiseLike<A> | A,
  ): Promise<A>;
  wrapToolCall<R extends ToolRequest, A>(
    request: R,
    handler: (request: R) => PromiseLike<A> | A,
  ): Promise<A | T>;
}

/** What `createMiddleware` takes. */
export function compacting<T>(
  session: AgentSession,
  { ToolMessage }: { readonly ToolMessage: ToolMessageClass<T> },
): CompactingConfig<T> {
  const mirror = new Mirror({ wire: "ai-sdk", ours, theirs });
  return {
    name: "palimpsest",
    wrapModelCall: async (request, handler) => {
      const around = { system: systemText(request.systemMessage) };
      const messages = await mirror.prepare(session, request.messages, around);
      const ask = async (sent: readonly object[]) => await handler({ ...request, messages: sent });
      const answer = await ask(messages).catch(async (error: unknown) => {
        const shorter = await mirror.recover(session, error, request.messages);
        if (!shorter) throw error;
        return ask(shorter);
      });
      observe(session, answer);
      return answer;
    },
    wrapToolCall: async (request, handler) => {
      const { name, args, id = "" } = request.toolCall;
      const refusal = guardCall({ name, input: args as Json });
      if (!refusal) return await handler(request);
      return new ToolMessage({ content: refusal.text, tool_call_id: id, name, status: "error" });
    },
  };
}

function observe(session: AgentSession, answer: unknown): void {
  const { usage_metadata: usage, response_metadata: metadata } = object(answer as Json);
  const { stop_reason, finish_reason } = object(metadata);
  const stopReason = string(stop_reason) ?? string(finish_reason);
  if (usage !== undefined) session.observe(object(usage), { stopReason });
}

function systemText(message: object | undefined): string {
  const { content } = object(message as Json);
  return blocksOf(content)
    .map((block) => string(object(block)["text"]) ?? "")
    .join("\n");
}

export interface RefTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
  readonly run: (input: unknown) => Promise<string>;
}

/** `read_ref`, `list_refs` and `compact`: `tool(run, about)` makes LangChain tools of them. */
export function refTools(session: AgentSession): RefTool[] {
  const { schemas, run } = session.tools;
  return schemas.map(({ name, description = "", input }) => ({
    name,
    description,
    schema: { ...object(input) },
    run: async (given) => (await run(name, given as JsonObject)).text,
  }));
}
