/**
 * Some systems let their model write down what must last before a fold (seed 003). A silent turn: the request goes out as
 * the next one would, with the question last; what the model writes into files is written, what it says goes into
 * NOTES.md of the memory folder, and nothing of it enters the conversation.
 */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../store/folder.ts";
import type { Json } from "../transcript/json.ts";
import type { Agent } from "./agent.ts";
import { ask } from "./ask.ts";
import { callsIn } from "./journal.ts";
import { answerCall } from "./run-calls.ts";

const MOST_STEPS = 4;
const TOOLS = ["read_file", "write_file", "edit_file"];

export async function flushNotes(agent: Agent, instruction: string): Promise<void> {
  const { options, calling, context, spending } = agent;
  const { onText: _, ...request } = agent.request;
  const answering = { ...calling, tools: calling.tools.filter(({ name }) => TOOLS.includes(name)) };
  const text = `${instruction}\nThe folder for it is ${options.memoryFolder}.`;
  const messages: Json[] = [...context.messages, { role: "user", content: [{ type: "text", text }] }];
  for (let step = 0; step < MOST_STEPS && !spending.end; step += 1) {
    const answer = await ask({ ...request, messages });
    spending.answered(answer.usage, options.model.name);
    const calls = callsIn(answer.message);
    if (calls.length === 0) return keep(answer.text, options);
    const content: Json[] = [];
    for (const call of calls) content.push(await answerCall(call, answering));
    messages.push(answer.message ?? null, { role: "tool", content });
  }
}

async function keep(text: string, { memoryFolder, now }: Agent["options"]): Promise<void> {
  if (text.trim() === "") return;
  makeFolder(memoryFolder);
  const heading = `## ${new Date(now()).toISOString().slice(0, 16)}Z`;
  await appendFile(join(memoryFolder, "NOTES.md"), `${heading}\n\n${text.trim()}\n\n`);
}
