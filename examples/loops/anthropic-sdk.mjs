/** Anthropic's SDK and a loop of one's own: prepare, ask, observe. */
import Anthropic from "@anthropic-ai/sdk";
import { guardCall, openSession } from "palimpsest";
import { about, lookUp, QUESTION } from "./archive.mjs";

const model = "claude-sonnet-4-5";
const session = await openSession({ model, windowTokens: 16_000 });
const client = new Anthropic({ maxRetries: 0 });
const system = "You are an archivist.";
const { schema: input_schema, ...named } = about;
const ours = session.tools.schemas.map(({ name, description, input }) => ({
  name,
  description,
  input_schema: input,
}));
const tools = [{ ...named, input_schema }, ...ours];

/** After "prompt is too long" the session compacts, and it is asked again, once. */
async function ask(history) {
  const { messages } = await session.prepare(history, { system, tools });
  try {
    return await stream(messages);
  } catch (error) {
    const shorter = await session.recover(error, history);
    if (!shorter) throw error;
    return stream(shorter.messages);
  }
}

function stream(messages) {
  const thinking = { type: "enabled", budget_tokens: 1_024 };
  const response = client.messages.stream({
    model,
    max_tokens: 4_000,
    thinking,
    system,
    tools,
    messages: [...messages],
  });
  response.on("text", (text) => process.stdout.write(text));
  return response.finalMessage();
}

async function run({ id, name, input }) {
  const refusal = guardCall({ name, input });
  const content =
    refusal?.text ?? (name === about.name ? lookUp(input) : (await session.tools.run(name, input)).text);
  return { type: "tool_result", tool_use_id: id, content };
}

const history = [{ role: "user", content: QUESTION }];
for (let step = 1; ; step += 1) {
  const { content, usage, stop_reason } = await ask(history);
  session.observe(usage, { stopReason: stop_reason });
  history.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) {
    console.log(`\n${step} steps. ${session.savings().text}`);
    break;
  }
  history.push({ role: "user", content: await Promise.all(calls.map(run)) });
}
