/** `palimpsest ref <ref>`: one original, as it was. */
import { PalimpsestError } from "../errors.ts";
import { readRef } from "../read-ref.ts";
import type { Original, SessionRow, Store } from "../store/store.ts";
import { type ToolAnswer, type ToolErrorCode, ToolRefusal } from "../tool-answer.ts";
import { type JsonObject, list, object, string } from "../transcript/json.ts";
import { textIn } from "../transcript/part-text.ts";
import { parseWords, usageError } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { sessionMeant } from "./own-pages.ts";
import { newestFirst } from "./session-argument.ts";

const HELP = `palimpsest ref <ref> [--lines A-B] [--grep RE] [--session S] [--store DIR] [--json]

One original that left the context: to the byte into a pipe or a file, without control
characters to a terminal.

  --lines A-B     only these lines, counted from 1, with their numbers
  --grep RE       only lines that match, with their numbers
  --session S     whose ref it is, by name or by a file of it (default: whichever
                  session in the store has it, latest first)
${STORE_HELP}
  --json          { session, ref, kind, description, tokens, at, text }

Examples
  palimpsest ref ref_7h2m0k9q4x1c
  palimpsest ref ref_7h2m0k9q4x1c --lines 120-180
  palimpsest ref ref_7h2m0k9q4x1c --grep 'Error|FAIL'
`;

const OPTIONS = {
  ...STORE_OPTION,
  lines: { type: "string" },
  grep: { type: "string" },
  session: { type: "string" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "ref");
  const [ref, ...rest] = positionals;
  if (ref === undefined) throw usageError('Which ref? "palimpsest refs" lists them.', "ref");
  if (rest.length > 0) throw usageError(`One ref at a time; "${rest[0]}" is one too many.`, "ref");
  const wish = { ref, lines: values.lines, grep: values.grep };
  return withExistingStore(storePath(io, values.store), async (store) => {
    const { session } = values;
    const rows =
      session === undefined ? newestFirst(await store.sessions()) : [await sessionMeant(session, store, io)];
    const { sessionId, original, text } = await readIn(store, wish, rows);
    if (values.json) {
      const { part, ...facts } = original;
      const { ref: name, description, tokens, at } = facts;
      const data = { session: sessionId, ref: name, kind: part.type, description, tokens, at, text };
      io.out(`${JSON.stringify(data, null, 2)}\n`);
    } else print(text, { io, isPart: values.lines !== undefined || values.grep !== undefined });
    if (text === "" && values.grep !== undefined) io.err(`No line matches ${values.grep}.\n`);
    return EXIT.done;
  });
}

/** Whole and piped on, it is what it was to the byte; asked for by line, it is lines. */
function print(text: string, { io, isPart }: { readonly io: Io; readonly isPart: boolean }): void {
  if (io.isTerminal) io.out(`${printable(text)}\n`);
  else io.out(isPart && text !== "" && !text.endsWith("\n") ? `${text}\n` : text);
}

interface Read {
  readonly sessionId: string;
  readonly original: Original;
  readonly text: string;
}

/** A person at their own store need not know whose a ref is: the sessions are asked in turn, the latest first. */
async function readIn(store: Store, wish: JsonObject, rows: readonly SessionRow[]): Promise<Read> {
  const refusals: ToolRefusal[] = [];
  for (const { id: sessionId } of rows) {
    // A person can stop reading: nothing is cut for its length.
    const answer = await readRef(wish, { store, sessionId, tokensOf: () => 0 });
    if (!(answer instanceof ToolRefusal)) return { sessionId, ...(await shownOf(answer, store, sessionId)) };
    refusals.push(answer);
  }
  throw new PalimpsestError("unreadable", whyNot(refusals));
}

async function shownOf(
  { structured }: ToolAnswer,
  store: Store,
  sessionId: string,
): Promise<{ readonly original: Original; readonly text: string }> {
  const recall = await store.recall(sessionId, string(structured["ref"]) ?? "");
  if (recall.kind !== "found")
    throw new PalimpsestError("store", "The original went away while it was read.");
  const [first] = list(structured["content"]);
  const text = string(object(first)["text"]);
  return { original: recall.original, text: text ?? textIn(recall.original.part) };
}

/** Of several sessions that have no such ref, the one that has one like it says most. */
function whyNot(refusals: readonly ToolRefusal[]): string {
  const telling = refusals.find(({ code, more }) => list(more["nearest"]).length > 0 || !isUnknown(code));
  const [first] = refusals;
  if (telling) return telling.message;
  return `${first?.message.split(". ")[0] ?? "There is no session in the store"}. "palimpsest refs" lists what there is.`;
}

function isUnknown(code: ToolErrorCode): boolean {
  return code === "unknown-ref" || code === "mistyped-ref";
}

/** Lines and tabs stay, what would act on a terminal goes. */
function printable(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|[^\P{Cc}\n\t]|\p{Cf}/gu, "").trimEnd();
}

export const ref: Command = {
  name: "ref",
  summary: "one original, as it was",
  help: HELP,
  run,
};
