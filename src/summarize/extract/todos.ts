/** The agent's own list of tasks, in its latest state, whichever tool keeps it. */
import type { SummaryLine } from "../../plan/summary.ts";
import { isObject, type Json, list, object, string } from "../../transcript/json.ts";
import { resultText } from "../../transcript/message.ts";
import { lineOf, said } from "../line.ts";
import type { Deed, Story } from "../story.ts";

export interface Todo {
  readonly text: string;
  readonly state: "done" | "doing" | "open";
}

export interface Todos {
  readonly items: readonly Todo[];
  readonly from: Deed;
}

const LISTS = ["todos", "plan", "todoList", "task_list", "tasks", "items"];
const MAX_ITEMS = 20;

export function todosIn(story: Story): Todos | undefined {
  const tasks = new Map<string, Todo>();
  let latest: Todos | undefined;
  for (const deed of story.deeds) {
    if (deed.use.does !== "plan" || deed.outcome.kind === "failed") continue;
    const items = listIn(deed.call.input) ?? oneByOne(tasks, deed);
    if (items) latest = { items, from: deed };
  }
  return latest;
}

export function doingLines(todos: Todos | undefined): readonly SummaryLine[] {
  return stateLine("In progress", "doing", todos);
}

export function openLines(todos: Todos | undefined): readonly SummaryLine[] {
  return stateLine("Open tasks", "open", todos);
}

export function doneLines(todos: Todos | undefined): readonly SummaryLine[] {
  return stateLine("Done", "done", todos);
}

function stateLine(label: string, state: Todo["state"], todos: Todos | undefined): readonly SummaryLine[] {
  const items = todos?.items.filter((item) => item.state === state).slice(0, MAX_ITEMS) ?? [];
  if (!todos || items.length === 0) return [];
  return [
    lineOf(`${label}: ${items.map(({ text }) => said(text, 160)).join("; ")}`, [todos.from.call], {
      about: label,
    }),
  ];
}

function listIn(input: Json): readonly Todo[] | undefined {
  const fields = object(input);
  const found = LISTS.map((key) => list(fields[key])).find((items) => items.length > 0);
  const items = found?.flatMap((item) => {
    if (!isObject(item)) return [];
    const text = string(
      item["content"] ?? item["step"] ?? item["title"] ?? item["description"] ?? item["task"],
    );
    return text === undefined ? [] : [{ text, state: stateOf(item["status"] ?? item["completed"]) }];
  });
  if (items && items.length > 0) return items;
  const text = string(fields["todos"]) ?? string(fields["todo_list"]);
  return text === undefined ? undefined : checkboxesIn(text);
}

function checkboxesIn(text: string): readonly Todo[] | undefined {
  const items = [...text.matchAll(/^\s*(?:[-*]|\d+[.)])?\s*\[([ xX>~-])\]\s*(.+)$/gm)].map(
    ([, mark, item]): Todo => ({
      text: item ?? "",
      state: /x/i.test(mark ?? "") ? "done" : mark === " " ? "open" : "doing",
    }),
  );
  return items.length > 0 ? items : undefined;
}

/** Claude Code's newer tools create and update tasks one at a time, by a number the result tells. */
function oneByOne(tasks: Map<string, Todo>, deed: Deed): readonly Todo[] | undefined {
  const input = object(deed.call.input);
  const subject = string(input["subject"]);
  const known =
    string(input["taskId"]) ?? (deed.result ? /#(\w+)/.exec(resultText(deed.result))?.[1] : undefined);
  if (known === undefined) return undefined;
  const before = tasks.get(known);
  const text = subject ?? before?.text;
  if (text === undefined) return undefined;
  tasks.set(known, {
    text,
    state: input["status"] === undefined ? (before?.state ?? "open") : stateOf(input["status"]),
  });
  if (input["status"] === "deleted") tasks.delete(known);
  return [...tasks.values()];
}

function stateOf(status: Json | undefined): Todo["state"] {
  if (status === true || /^(completed?|done|cancell?ed)$/i.test(String(status))) return "done";
  return /progress|doing|active/i.test(String(status)) ? "doing" : "open";
}
