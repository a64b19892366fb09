/**
 * Messages of a Codex file while their items come in. One response is several items: consecutive ones of a side are
 * one message, until something says that the response was over.
 */
import { type Json, object } from "../transcript/json.ts";
import { hasUserWords, type Part, type Role, type Usage } from "../transcript/message.ts";
import { isRun, readItem, roleOfItem } from "./openai-items.ts";
import type { Spot } from "./session-file.ts";

export interface Draft {
  readonly role: Role;
  readonly parts: Part[];
  readonly lines: number[];
  readonly at: number | undefined;
  readonly model: string | undefined;
  usage: Usage | undefined;
  ended: "done" | "aborted";
  /** The response was over: what comes next is another one, even from the same side. */
  isClosed: boolean;
}

/** Where an item stands, when it was written, and which model was at work. */
export interface Origin extends Spot {
  readonly at: number | undefined;
  readonly model: string | undefined;
}

/**
 * What Codex says in the user's name: instructions, surroundings, notices, and its own summary. Tags count only when
 * they close at the end: a user may well write about one.
 */
const HARNESS_TEXT = [
  /^\s*<(user_instructions|environment_context|additional_context|turn_aborted|skill|hook_prompt|goal_context)\b[\s\S]*<\/\1>\s*$/i,
  /^\s*<(user_shell_command|subagent_notification|codex_internal_context|recommended_plugins)\b[\s\S]*<\/\1>\s*$/i,
  /^\s*# AGENTS\.md instructions\b[\s\S]*<\/INSTRUCTIONS>\s*$/,
  /^\s*Another language model started to solve this problem/,
  /^\s*Warning: (apply_patch was requested via|The maximum number of unified exec)/,
];

/** The item joins the message it belongs to, or begins one. */
export function gather(drafts: Draft[], item: Json, origin: Origin): Draft {
  const role = roleOfItem(item);
  const parts = locatedParts(item, origin);
  const last = drafts.at(-1);
  if (last && !last.isClosed && last.role === role && isRun(role)) {
    last.parts.push(...parts);
    last.lines.push(origin.line);
    return last;
  }
  const draft: Draft = {
    role,
    parts,
    lines: [origin.line],
    at: origin.at,
    model: role === "assistant" ? origin.model : undefined,
    usage: undefined,
    ended: "done",
    isClosed: false,
  };
  drafts.push(draft);
  return draft;
}

function locatedParts(item: Json, origin: Spot): Part[] {
  const role = roleOfItem(item);
  const isNobodys = role === "system" || object(item)["type"] === "agent_message";
  return readItem(item).map(({ part, path }) => {
    const native = { line: origin.line, path: [...origin.path, ...path] };
    const isSynthetic = part.type === "text" && (isNobodys || (role === "user" && isHarnessText(part.text)));
    return isSynthetic ? { ...part, synthetic: true, native } : { ...part, native };
  });
}

function isHarnessText(text: string): boolean {
  return HARNESS_TEXT.some((pattern) => pattern.test(text));
}

export function startsTurn({ role, parts }: Draft): boolean {
  return hasUserWords({ role, parts });
}

export function closeLast(drafts: readonly Draft[]): void {
  const last = drafts.at(-1);
  if (last) last.isClosed = true;
}
