/**
 * What it means to be a tool here: a schema for the model, what has to be asked before, and what is done. One file each, in
 * one order: schema → asks → run. A tool answers whatever it is given; only what it cannot do at all throws, and that is
 * answered too.
 */
import { type Json, type JsonObject, number, object, string } from "../../transcript/json.ts";
import type { Todo } from "../prompt.ts";

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  /** What a person has to allow first; undefined where nothing. */
  asks?(input: JsonObject, around: ToolAround): Promise<Asked | undefined>;
  run(input: JsonObject, around: ToolAround): Promise<ToolResult>;
}

export interface ToolResult {
  readonly text: string;
  readonly isError?: boolean;
}

/** `read`: outside the workspace. `write`: in it. `run`: a command, which can do whatever the user can. */
export interface Asked {
  readonly effect: "read" | "write" | "run";
  /** One line for a person. */
  readonly what: string;
}

export type Permission = { readonly kind: "yes" } | { readonly kind: "no"; readonly reason?: string };

export type Permit = (asked: Asked & { readonly tool: string }) => Promise<Permission>;

/** What tools work with. */
export interface ToolAround {
  readonly workspace: string;
  /** Where outputs too long for the context are written whole; readable like the workspace. */
  readonly spoolFolder: string;
  /** Characters of one output that may enter the context. */
  readonly maxChars: number;
  readonly signal: AbortSignal;
  readonly callId: string;
  setTodos(items: readonly Todo[]): void;
  /** Absent in a subagent: helpers have no helpers. */
  readonly delegate?: (task: string) => Promise<ToolResult>;
}

/** An answer that says what was wrong with the call. */
export class BadCall extends Error {}

export function textOf(input: JsonObject, field: string): string {
  const value = string(input[field]);
  if (value !== undefined) return value;
  throw new BadCall(`"${field}" must be a text; it is ${JSON.stringify(input[field] ?? null)}.`);
}

export function countOf(input: JsonObject, field: string, otherwise: number): number {
  const value = number(input[field]);
  return value === undefined || value < 1 ? otherwise : Math.floor(value);
}

/** A schema with these properties; the first `required` of them must be there. */
export function schema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

export const text = (description: string): Json => object({ type: "string", description });
export const integer = (description: string): Json => object({ type: "integer", description });
