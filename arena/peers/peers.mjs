/**
 * Peers from npm, each run as itself: its own code decides what stays. Plain data in, plain data out; the arena does the
 * rest. What a peer left as it was comes back by its id, what it wrote or cut comes back as text.
 *
 * In:  { messages: [{ role, parts: [{ id, type, text, name, input, callId }] }], from: [index …], summary: [text …], windowTokens }
 *      `from`: how many messages had been said at each compaction; `summary`: what a model would have written then.
 * Out: { stages: [{ parts: [{ id } | { text }] }], files: [text …] }
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `ai`: tool calls and results before the last two messages go, as the documentation does it. */
export async function pruneMessages({ messages, from }) {
  const { pruneMessages: prune } = await import("ai");
  return {
    stages: from.map((cut) => {
      const pruned = prune({
        messages: messages.slice(0, cut).flatMap(aiMessages),
        reasoning: "before-last-message",
        toolCalls: "before-last-2-messages",
        emptyMessages: "remove",
      });
      return { parts: pruned.flatMap(({ content }) => content.map(({ id }) => ({ id }))) };
    }),
    files: [],
  };
}

/** Parts keep our id beside what the SDK knows: pruning drops whole parts and changes none. */
function aiMessages({ role, parts }) {
  const of = (...types) => parts.filter(({ type }) => types.includes(type));
  const results = of("result").map(({ id, callId, name, text }) => ({
    ...{ id, type: "tool-result", toolCallId: callId, toolName: name ?? "tool" },
    output: { type: "text", value: text },
  }));
  const rest = of("text", "thinking", "call").map(({ id, type, text, name, input, callId }) =>
    type === "call"
      ? { id, type: "tool-call", toolCallId: callId, toolName: name, input }
      : { id, type: type === "thinking" ? "reasoning" : "text", text },
  );
  return [
    ...(results.length > 0 ? [{ role: "tool", content: results }] : []),
    ...(rest.length > 0 ? [{ role, content: rest }] : []),
  ];
}

/** LangChain: contextEditingMiddleware with ClearToolUsesEdit, three results kept (its default), always triggered. */
export async function contextEditing({ messages, from }) {
  const { contextEditingMiddleware, ClearToolUsesEdit } = await import("langchain");
  const stages = [];
  for (const cut of from) {
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 3 } })];
    const seen = await asked([contextEditingMiddleware({ edits })], {
      messages: await chatMessages(messages.slice(0, cut)),
    });
    stages.push({ parts: partsOf(seen, messages) });
  }
  return { stages, files: [] };
}

/** deepagents: history summarized and offloaded to a file; a tenth of the window stays, as it does with a known model. */
export async function deepagents({ messages, from, summary, windowTokens }) {
  const { createSummarizationMiddleware, FilesystemBackend } = await import("deepagents");
  const { MemorySaver } = await import("@langchain/langgraph-checkpoint");
  const folder = mkdtempSync(join(tmpdir(), "arena-deepagents-"));
  const backend = new FilesystemBackend({ rootDir: folder, virtualMode: true });
  const checkpointer = new MemorySaver();
  const stages = [];
  let done = 0;
  try {
    for (const [index, cut] of from.entries()) {
      const middleware = createSummarizationMiddleware({
        backend,
        trigger: { type: "tokens", value: 1 },
        keep: { type: "tokens", value: Math.max(1, Math.round(windowTokens * 0.1)) },
      });
      const input = { messages: await chatMessages(messages.slice(done, cut)) };
      // It has the agent's own model summarize, before the request itself.
      const seen = await asked([middleware], input, { checkpointer, answers: [summary[index] ?? "", "ok"] });
      stages.push({ parts: partsOf(seen, messages) });
      done = cut;
    }
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return { stages, files: files.map((file) => readFileSync(join(file.parentPath, file.name), "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One request of an agent with this middleware: what its model was sent last. */
async function asked(middleware, input, { checkpointer, answers = ["ok"] } = {}) {
  const { createAgent } = await import("langchain");
  const model = await scripted(answers);
  const agent = createAgent({ model, tools: [], middleware, ...(checkpointer ? { checkpointer } : {}) });
  await agent.invoke(input, { configurable: { thread_id: "arena" }, recursionLimit: 50 });
  return model.seen;
}

/** A chat model that says what it is told to, one after the other, and remembers what it was sent last. */
async function scripted(answers) {
  const { BaseChatModel } = await import("@langchain/core/language_models/chat_models");
  const { AIMessage } = await import("@langchain/core/messages");
  class Scripted extends BaseChatModel {
    seen = [];
    calls = 0;
    _llmType() {
      return "scripted";
    }
    bindTools() {
      return this;
    }
    async _generate(messages) {
      this.seen = messages;
      const text = answers[this.calls++] ?? answers.at(-1) ?? "";
      return { generations: [{ text, message: new AIMessage(text) }] };
    }
  }
  return new Scripted({});
}

async function chatMessages(messages) {
  const { AIMessage, HumanMessage, ToolMessage } = await import("@langchain/core/messages");
  return messages.flatMap(({ role, parts }) => {
    const texts = parts.filter(({ type }) => type === "text" || type === "thinking");
    const content = texts.map(({ text }) => text).join("\n");
    const ids = (own) => ({ arena: own.map(({ id }) => id), text: content });
    if (role === "assistant") {
      const calls = parts.filter(({ type }) => type === "call");
      const tool_calls = calls.map(({ callId, name, input }) => ({
        id: callId,
        name,
        args: input,
        type: "tool_call",
      }));
      return [new AIMessage({ content, tool_calls, additional_kwargs: ids([...texts, ...calls]) })];
    }
    const results = parts
      .filter(({ type }) => type === "result")
      .map(
        ({ id, callId, name, text }) =>
          new ToolMessage({
            content: text,
            tool_call_id: callId,
            name: name ?? "tool",
            additional_kwargs: { arena: [id], text },
          }),
      );
    return [
      ...results,
      ...(texts.length > 0 ? [new HumanMessage({ content, additional_kwargs: ids(texts) })] : []),
    ];
  });
}

/** Unchanged messages by the ids of their parts; of changed ones, what they say now. The system prompt is the peer's own. */
function partsOf(seen, messages) {
  const inputs = new Map(
    messages.flatMap(({ parts }) => parts.map(({ id, input }) => [id, JSON.stringify(input)])),
  );
  return seen
    .filter((message) => message.getType() !== "system")
    .flatMap((message) => {
      const { arena, text } = message.additional_kwargs ?? {};
      const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
      // It names its file by chance; two runs give the same bytes here.
      const said = content.replaceAll(/session_[0-9a-f]{8}/g, "session_arena");
      if (!arena || text !== content) return [{ text: said }, ...callsOf(message)];
      const calls = message.tool_calls ?? [];
      const isSame = calls.every(
        ({ args }, at) => inputs.get(arena[arena.length - calls.length + at]) === JSON.stringify(args),
      );
      return isSame ? arena.map((id) => ({ id })) : [{ text: said }, ...callsOf(message)];
    });
}

function callsOf(message) {
  return (message.tool_calls ?? []).map(({ name, args }) => ({ text: `${name} ${JSON.stringify(args)}` }));
}
