/** OpenAI's SDK (Chat Completions) and a loop of one's own: prepare, ask, observe. */
import OpenAI from "openai";
import { guardCall, openSession } from "palimpsest";
import { about, lookUp, QUESTION } from "./archive.mjs";

const model = "gpt-5.1";
const session = await openSession({ model, windowTokens: 16_000, wire: "openai-chat" });
const client = new OpenAI({ maxRetries: 0 });
const { schema, ...named } = about;
const functions = [
  { ...named, parameters: schema },
  ...session.tools.schemas.map(({ input, ...ref }) => ({ ...ref, parameters: input })),
];
const tools = functions.map((asked) => ({ type: "function", function: asked }));

/** After "maximum context length" the session compacts, and it is asked again, once. */
async function ask(history) {
  const { messages } = await session.prepare(history, { tools });
  try {
    return await stream(messages);
  } catch (error) {
    const shorter = await session.recover(error, history);
    if (!shorter) throw error;
    return stream(shorter.messages);
  }
}

function stream(messages) {
  const response = client.chat.completions.stream({
    model,
    tools,
    messages: [...messages],
    stream_options: { include_usage: true },
  });
  response.on("content", (text) => process.stdout.write(text));
  return response.finalChatCompletion();
}

async function run({ id, function: { name, arguments: text } }) {
  const input = JSON.parse(text);
  const refusal = guardCall({ name, input });
  const content =
    refusal?.text ?? (name === about.name ? lookUp(input) : (await session.tools.run(name, input)).text);
  return { role: "tool", tool_call_id: id, content };
}

const history = [
  { role: "system", content: "You are an archivist." },
  { role: "user", content: QUESTION },
];
for (let step = 1; ; step += 1) {
  const { choices, usage } = await ask(history);
  const { role, content, tool_calls } = choices[0].message;
  session.observe(usage, { stopReason: choices[0].finish_reason });
  history.push({ role, content, ...(tool_calls ? { tool_calls } : {}) });
  if (!tool_calls) {
    console.log(`\n${step} steps. ${session.savings().text}`);
    break;
  }
  history.push(...(await Promise.all(tool_calls.map(run))));
}
