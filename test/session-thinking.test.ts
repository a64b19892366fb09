/**
 * A model that thinks before every call, in one turn much longer than its window, over real HTTP: every compaction falls into
 * a step in progress. The server refuses what the providers refuse, thinking that is missing behind joined messages too.
 */
import { describe, expect, test } from "vitest";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { ModelServer, Reply } from "../src/testing/index.ts";
import { type Json, type JsonObject, list, object } from "../src/transcript/json.ts";
import { words } from "./anthropic-conversation.ts";
import { type Answered, askClaude, askGemini, askResponses, serverFor } from "./testing/ask.ts";

const STEPS = 60;
const WINDOW = 6_000;
/** How much a step reads, by turns: nothing folds in steps of one size alone. */
const LINES = [10, 60, 20, 5, 90];

/** One API as an agent without a client speaks it. */
interface Speech {
  readonly first: Json;
  readonly ask: (server: ModelServer, messages: readonly Json[]) => Promise<Answered>;
  /** What the model said, to be sent back, and the results of what it called. */
  readonly answered: (body: JsonObject, output: string) => readonly Json[];
  readonly says: (words: string) => Json;
}

const tools = [{ name: "look", description: "Looks.", input_schema: { type: "object" } }];
const THINKING = { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 }, tools };

const speeches: Readonly<Record<string, Speech>> = {
  "anthropic-messages": {
    first: { role: "user", content: "Never touch migrations/. Look at everything." },
    ask: (server, messages) => askClaude(server, { ...THINKING, messages }),
    answered: (body, output) => {
      const content = list(body["content"]);
      const results = content.flatMap((block) => {
        const { type, id } = object(block);
        return type === "tool_use" ? [{ type: "tool_result", tool_use_id: id ?? null, content: output }] : [];
      });
      return [
        { role: "assistant", content },
        { role: "user", content: results },
      ];
    },
    says: (content) => ({ role: "user", content }),
  },
  "openai-responses": {
    first: { type: "message", role: "user", content: "Never touch migrations/. Look at everything." },
    ask: (server, input) =>
      askResponses(server, input, { store: false, include: ["reasoning.encrypted_content"] }),
    answered: (body, output) => {
      const items = list(body["output"]);
      const results = items.flatMap((item): readonly Json[] => {
        const { type, call_id: id } = object(item);
        return type === "function_call"
          ? [{ type: "function_call_output", call_id: id ?? null, output }]
          : [];
      });
      return [...items, ...results];
    },
    says: (content) => ({ type: "message", role: "user", content }),
  },
  gemini: {
    first: { role: "user", parts: [{ text: "Never touch migrations/. Look at everything." }] },
    ask: (server, contents) => askGemini(server, contents.map(object)),
    answered: (body, output) => {
      const content = object(object(list(body["candidates"])[0])["content"]);
      const results = list(content["parts"]).flatMap((part): readonly Json[] => {
        const call = object(part)["functionCall"];
        return call === undefined
          ? []
          : [{ functionResponse: { name: object(call)["name"] ?? null, response: { output } } }];
      });
      return [content, { role: "user", parts: results }];
    },
    says: (text) => ({ role: "user", parts: [{ text }] }),
  },
};

function reply(step: number): Reply {
  return { thinking: `Step ${step} looks, because step ${step - 1} did.`, calls: [{ name: "look" }] };
}

const LEAD_IN = "(Steps of mine were folded; the page that follows tells of them.)";

describe.each(Object.entries(speeches))("%s", (wire, { first, ask, answered, says }) => {
  test("a loop of thoughtful steps is never refused, compacted as often as it takes", async () => {
    let step = 0;
    const server = await serverFor(() => reply(step));
    const session = await openSession({ store: memoryStore(), wire, windowTokens: WINDOW });
    const messages: Json[] = [first];
    let folds = 0;
    let led = 0;
    for (; step < STEPS; step += 1) {
      const prepared = await session.prepare(messages);
      if (prepared.outcome?.kind === "compacted" && prepared.outcome.compaction.page) folds += 1;
      if (JSON.stringify(prepared.messages).includes(LEAD_IN)) led += 1;
      const { status, body, text } = await ask(server, prepared.messages);
      expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
      messages.push(...answered(object(body), words(`step ${step}`, LINES[step % LINES.length] ?? 0)));
      // Now and then the user speaks while the model works.
      if (step % 7 === 6) messages.push(says(`Also mind part ${step}.`));
    }
    expect(server.violations).toEqual([]);
    expect(folds).toBeGreaterThan(3);
    // Gemini seals its calls, not its thinking: nothing waits there.
    expect(led > 0).toBe(wire !== "gemini");
  }, 60_000);
});
