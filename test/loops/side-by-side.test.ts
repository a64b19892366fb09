/** One model, wrapped once, is asked for several things at a time: a title while the agent works. */
import { expect, test } from "vitest";
import { compacting } from "../../src/loops/ai-sdk.ts";
import { compactingModel } from "../../src/loops/openai-agents.ts";
import { openSession } from "../../src/session.ts";

const OVERFLOW = new Error("prompt is too long: 210000 tokens > 200000 maximum");
const lines = (id: number) =>
  Array.from({ length: 60 }, (_, at) => `file ${id} line ${at}: ${at * id}`).join("\n");
const text = (value: unknown) => JSON.stringify(value);
const open = () => openSession({ model: "gpt-5.1", windowTokens: 400_000 });

const asks = (words: string) => ({ role: "user", content: [{ type: "text", text: words }] });
const steps = Array.from({ length: 30 }, (_, id) => [
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: `c${id}`, toolName: "look", input: { id } }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `c${id}`,
        toolName: "look",
        output: { type: "text", value: lines(id) },
      },
    ],
  },
]).flat();

test("AI SDK: what overflowed is asked again shorter, and not what was asked meanwhile", async () => {
  const { transformParams, wrapGenerate } = compacting(await open());
  const work = await transformParams({ params: { prompt: [asks("Never touch migrations/."), ...steps] } });
  await transformParams({ params: { prompt: [asks("Only a title.")] } });
  const sent: object[][] = [];
  const doGenerate = async (params: { readonly prompt: readonly object[] }) => {
    sent.push([...params.prompt]);
    return { usage: { inputTokens: { total: 10 } }, finishReason: "stop" };
  };
  const model = { doGenerate, doStream: () => Promise.reject(OVERFLOW) };
  const refused = () => Promise.reject(OVERFLOW);
  await wrapGenerate({ doGenerate: refused, doStream: refused, params: work, model });
  expect(sent).toHaveLength(1);
  expect(text(sent)).toContain("Never touch migrations/.");
  expect(text(sent).length).toBeLessThan(text(work.prompt).length);
});

const items = Array.from({ length: 30 }, (_, id) => [
  { type: "function_call", callId: `c${id}`, name: "look", arguments: `{"id":${id}}`, status: "completed" },
  {
    type: "function_call_result",
    callId: `c${id}`,
    name: "look",
    status: "completed",
    output: { type: "text", text: lines(id) },
  },
]).flat();

interface Asking {
  readonly input: readonly object[];
  readonly tools: readonly object[];
}

async function* nothing(): AsyncGenerator<object> {}

test("OpenAI Agents: the same", async () => {
  const sent: Asking[] = [];
  let onAsked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  let answerTitle = () => {};
  const isTitled = new Promise<void>((resolve) => {
    answerTitle = resolve;
  });
  const answer = { usage: { inputTokens: 10, outputTokens: 1 }, output: [] };
  const asked = async (request: Asking) => {
    sent.push(request);
    if (sent.length > 1) return answer;
    onAsked();
    await isTitled;
    throw OVERFLOW;
  };
  const plain = { getResponse: asked, getStreamedResponse: (_: Asking) => nothing() };
  const model = compactingModel(plain, await open());
  const request = (input: readonly object[]): Asking => ({ input, tools: [] });
  const working = model.getResponse(
    request([{ role: "user", content: "Never touch migrations/." }, ...items]),
  );
  await isAsked;
  await model.getResponse(request([{ role: "user", content: "Only a title." }]));
  answerTitle();
  await working;
  expect(sent.map(({ input }) => text(input).includes("Only a title."))).toEqual([false, true, false]);
  expect(text(sent[2]).length).toBeLessThan(text(sent[0]).length);
});
