/**
 * The transcript of an agent as it happens: one line of JSON for each message, result and steering word, on disk before
 * anyone is told. A line is appended and synced, so what was acknowledged survives `kill -9`; a torn last line was
 * acknowledged to nobody and is cut off when the file is opened again.
 *
 * It is the whole conversation, before any compaction: what seed 002 calls the transcript on disk.
 */
import { type FileHandle, open, readFile, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { makeFolder } from "../store/folder.ts";
import { type Json, type JsonObject, list, object, parseJson, string } from "../transcript/json.ts";

export type JournalEntry =
  | {
      readonly kind: "opened";
      readonly at: number;
      readonly id: string;
      readonly workspace: string;
      readonly model: string;
      /** Sealed thinking is bound to it, and so is the prompt cache: a resumed session sends the same. */
      readonly system: string;
      readonly parent?: string;
    }
  | { readonly kind: "message"; readonly at: number; readonly message: Json }
  /** One result of the step in progress; they become one message when the last of them is there. */
  | { readonly kind: "result"; readonly at: number; readonly part: Json }
  /** Said while it worked; it joins the next user message. */
  | { readonly kind: "steering"; readonly at: number; readonly text: string };

/** What a journal comes to when it is read. */
export interface Recorded {
  readonly opened: Extract<JournalEntry, { kind: "opened" }>;
  readonly messages: readonly Json[];
  /** Results of calls whose step was not finished. */
  readonly results: readonly Json[];
  readonly steering: readonly string[];
}

export class Journal {
  readonly path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async open(path: string): Promise<Journal> {
    makeFolder(dirname(path), 0o700);
    return new Journal(path, await open(path, "a", 0o600));
  }

  /** Durable when it resolves. */
  async append(entry: JournalEntry): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(entry)}\n`);
    await this.#file.datasync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export function journalPath(home: string, id: string): string {
  return join(home, "agent", `${id}.jsonl`);
}

/** Undefined where there is none. */
export async function readJournal(path: string): Promise<Recorded | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes) return undefined;
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) await truncate(path, whole);
  const lines = bytes.subarray(0, whole).toString("utf8").split("\n").slice(0, -1);
  const entries = lines.map((line, index) => entryIn(line, index, path));
  const [opened] = entries;
  if (opened?.kind !== "opened") return undefined;
  return { opened, ...told(entries) };
}

function entryIn(line: string, index: number, path: string): JournalEntry {
  const entry = object(parseJson(line));
  // Ours by its kind; what is in it was written by `append`.
  if (typeof entry["kind"] === "string") return entry as unknown as JournalEntry;
  throw new PalimpsestError("unreadable", `Line ${index + 1} of ${path} is not a journal entry.`);
}

function told(entries: readonly JournalEntry[]): Omit<Recorded, "opened"> {
  const messages: Json[] = [];
  let results: Json[] = [];
  let steering: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "steering") steering.push(entry.text);
    if (entry.kind === "result") results.push(entry.part);
    if (results.length > 0 && results.length === callsIn(messages.at(-1)).length) {
      messages.push({ role: "tool", content: results });
      results = [];
    }
    if (entry.kind !== "message") continue;
    messages.push(entry.message);
    if (object(entry.message)["role"] === "user") steering = [];
  }
  return { messages, results, steering };
}

/** The tool calls of an assistant's message, as the AI SDK spells them. */
export function callsIn(message: Json | undefined): readonly JsonObject[] {
  const { role, content } = object(message);
  if (role !== "assistant") return [];
  return list(content)
    .map(object)
    .filter((part) => part["type"] === "tool-call");
}

export function callId(part: JsonObject): string {
  return string(part["toolCallId"]) ?? "";
}
