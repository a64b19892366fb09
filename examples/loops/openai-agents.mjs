/** OpenAI Agents SDK: the model behind the runner is sent what the session prepares; an Agents session keeps the whole. */
import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { openSession } from "palimpsest";
import { compacting, guarded, refTools } from "palimpsest/openai-agents";
import { about, lookUp, QUESTION } from "./archive.mjs";

setTracingDisabled(true);
const session = await openSession({ model: "gpt-5.1", windowTokens: 16_000 });
const provider = new OpenAIProvider({
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
});
const runner = new Runner({ modelProvider: compacting(provider, session) });

const { schema, ...named } = about;
const parameters = { ...schema, additionalProperties: true };
const agent = new Agent({
  name: "Archivist",
  instructions: "You are an archivist.",
  model: "gpt-5.1",
  modelSettings: { store: false, providerData: { include: ["reasoning.encrypted_content"] } },
  tools: [
    ...guarded([tool({ ...named, parameters, strict: false, execute: lookUp })]),
    ...refTools(session).map(tool),
  ],
});
const memory = new MemorySession();
const result = await runner.run(agent, QUESTION, { maxTurns: 50, session: memory, stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
await result.completed;
console.log(`\n${result.rawResponses.length} steps. ${session.savings().text}`);
