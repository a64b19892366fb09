/** todo: the list of what is to be done. It is said again after each fold, so it outlives the messages it was made in. */
import { isList, type Json, object, string } from "../../transcript/json.ts";
import { todoText } from "../contributors.ts";
import { callsIn } from "../journal.ts";
import type { Todo } from "../prompt.ts";
import { type AgentTool, BadCall, schema } from "./tool.ts";

export const todoTool: AgentTool = {
  name: "todo",
  description: "Keep the list of tasks: give all of it each time. Use it for work of several steps.",
  input: schema(
    {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: {
            text: { type: "string" },
            status: { type: "string", enum: ["open", "doing", "done"] },
          },
          required: ["text", "status"],
        },
      },
    },
    ["items"],
  ),
  async run(input, { setTodos }) {
    const items = todosIn(input);
    if (!items) throw new BadCall('"items" must be a list of { text, status }.');
    setTodos(items);
    return { text: items.length === 0 ? "The list is empty." : todoText(items) };
  },
};

/** The list as a transcript has it: what a resumed session goes on with. */
export function todosOf(messages: readonly Json[]): readonly Todo[] {
  const calls = messages.flatMap(callsIn).filter((call) => call["toolName"] === "todo");
  return todosIn(calls.at(-1)?.["input"]) ?? [];
}

function todosIn(input: Json | undefined): readonly Todo[] | undefined {
  const { items } = object(input);
  if (!isList(items)) return undefined;
  return items.map(object).flatMap((item) => {
    const text = string(item["text"]);
    const { status } = item;
    return text === undefined
      ? []
      : [{ text, status: status === "doing" || status === "done" ? status : "open" }];
  });
}
