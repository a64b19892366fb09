/** A conversation as Claude Code 2.1.326 hands it to function hooks, and what it makes of the one handed back. */
import type { Json, JsonObject } from "../../src/transcript/json.ts";

export interface Step {
  readonly thinking?: string;
  readonly text?: string;
  /** Commands with what they print; several run at once. */
  readonly ran?: readonly (readonly [command: string, output: string])[];
}

export interface Handed {
  readonly rows: readonly JsonObject[];
  readonly request: readonly JsonObject[];
}

const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;

/** Each block of a response is a row of its own, each result too; in the request they are one message, with reminders. */
export function handed(said: readonly (string | Step)[]): Handed {
  const rows: JsonObject[] = [];
  const request: JsonObject[] = [];
  let calls = 0;
  const row = (fields: JsonObject) => rows.push({ ...fields, handle: `row-${rows.length}` });
  for (const one of said) {
    if (typeof one === "string") {
      row({ role: "user", text: one, toolUses: [] });
      const content = [block(reminder("Today's date is 2026-11-18.")), block(`${one}\n`)];
      request.push({ role: "user", content });
      continue;
    }
    const ran = (one.ran ?? []).map(([command, output]) => ({ id: `toolu_${calls++}`, command, output }));
    if (one.thinking !== undefined) row({ role: "assistant", text: "", toolUses: [] });
    if (one.text !== undefined) row({ role: "assistant", text: one.text, toolUses: [] });
    for (const { id, command, output } of ran) {
      const use = { tool_use_id: id, tool: "Bash", input: { command }, text: output };
      row({ role: "assistant", text: "", toolUses: [use] });
    }
    for (const { id, output } of ran)
      row({
        role: "user",
        text: "",
        toolUses: [],
        toolResults: [{ tool_use_id: id, text: output, isError: false }],
      });
    request.push({ role: "assistant", content: responseOf(one, ran) });
    if (ran.length > 0) request.push({ role: "user", content: ran.map(resultOf) });
  }
  return { rows, request };
}

function responseOf({ thinking, text }: Step, ran: readonly { id: string; command: string }[]): Json {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: `seal of ${thinking}` }]),
    ...(text === undefined ? [] : [block(text)]),
    ...ran.map(({ id, command }) => ({ type: "tool_use", id, name: "Bash", input: { command } })),
  ];
}

function resultOf({ id, output }: { readonly id: string; readonly output: string }): JsonObject {
  const content = `${output}\n\n${reminder("<total_tokens>14978590 tokens left</total_tokens>")}`;
  return { type: "tool_result", tool_use_id: id, content, is_error: false };
}

function block(text: string): JsonObject {
  return { type: "text", text };
}

/** The next request: neighbours of one role become one message, results first. */
export function sentAfter(messages: readonly Handback[]): readonly JsonObject[] {
  const sent: { role: string; content: JsonObject[] }[] = [];
  for (const message of messages) {
    const content = [
      ...(message.toolResults ?? []).map((result) => ({
        type: "tool_result",
        tool_use_id: result.tool_use_id,
        content: result.text,
        is_error: result.isError,
      })),
      ...(message.text === "" ? [] : [block(message.text)]),
      ...message.toolUses.map(({ tool_use_id: id, tool: name, input }) => ({
        type: "tool_use",
        id,
        name,
        input,
      })),
    ];
    const last = sent.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else sent.push({ role: message.role, content });
  }
  return sent;
}

/** A message as it goes back: it is JSON, so it can be handed in again. */
export interface Handback extends JsonObject {
  readonly role: string;
  readonly text: string;
  readonly handle?: string;
  readonly toolUses: readonly { readonly tool_use_id: string; readonly tool: string; readonly input: Json }[];
  readonly toolResults?: readonly {
    readonly tool_use_id: string;
    readonly text: string;
    readonly isError: boolean;
  }[];
}

/** Some 4,000 tokens, every line different. */
export const printed = (number: number): string =>
  Array.from({ length: 1200 }, (_, index) => `${number}${10_000 + index}`).join("\n");

export const work = (from: number, count: number, more: Partial<Step> = {}): readonly Step[] =>
  Array.from({ length: count }, (_, index) => ({
    ...more,
    ran: [
      [`seq ${from + index}`, printed(from + index)] as const,
      ...(index % 3 === 1 ? [[`echo beside ${from + index}`, `beside ${from + index}`] as const] : []),
    ],
  }));
