/**
 * Files: what was done to those that changed, and the paths of those that were only read. Each path stands as the calls
 * spell it; what was done is told from the calls alone, because a result only says that it worked.
 */
import type { SummaryLine } from "../../plan/summary.ts";
import { isList, isObject, type Json, object, string } from "../../transcript/json.ts";
import type { Part } from "../../transcript/message.ts";
import { lineOf, oneLine, quoted } from "../line.ts";
import type { Deed, Story } from "../story.ts";

const MAX_READ = 60;
const MAX_NAMES = 5;

interface Changed {
  edits: number;
  writes: number;
  isNew: boolean;
  readonly names: Set<string>;
  firstLine?: string;
  last: readonly (Part | undefined)[];
  /** The first few calls: what is told of the file is told from them. */
  readonly calls: Part[];
}

export function filesModifiedIn(story: Story): readonly SummaryLine[] {
  const files = new Map<string, Changed>();
  const seen = new Set<string>();
  for (const deed of story.deeds) {
    for (const { path, does } of deed.use.files) {
      const isReal = path.trim() !== "" && deed.result !== undefined && !deed.result.isError;
      if (does !== "read" && isReal) note(files, path, { deed, does, wasSeen: seen.has(path) });
      seen.add(path);
    }
  }
  return [...files].map(([path, changed]) => {
    const shown = quoted(path, 300);
    return lineOf(`${shown} ${whatWasDone(changed)}`, [...changed.last, ...changed.calls], {
      about: shown.startsWith("`") ? shown.slice(1, -1) : undefined,
      maxRefs: 2,
    });
  });
}

function note(
  files: Map<string, Changed>,
  path: string,
  {
    deed,
    does,
    wasSeen,
  }: { readonly deed: Deed; readonly does: "edit" | "write"; readonly wasSeen: boolean },
): void {
  const changed = files.get(path) ?? untouched(does === "write" && !wasSeen);
  // The file moves to the end: the order is that of the last change.
  files.delete(path);
  files.set(path, changed);
  if (does === "edit") changed.edits += 1;
  else changed.writes += 1;
  changed.last = [deed.call, deed.result];
  if (changed.names.size >= MAX_NAMES) return;
  const added = addedText(deed.call.input, path);
  const names = namesIn(added);
  for (const name of names) if (changed.names.size < MAX_NAMES) changed.names.add(name);
  const first = firstAddedLine(deed, path);
  if (names.length > 0 || changed.firstLine === undefined) changed.calls.push(deed.call);
  if (first !== undefined) changed.firstLine ??= first;
}

function untouched(isNew: boolean): Changed {
  return { edits: 0, writes: 0, isNew, names: new Set(), last: [], calls: [] };
}

export function firstAddedLine(deed: Deed, path: string): string | undefined {
  return addedText(deed.call.input, path)
    .split("\n")
    .find((line) => line.trim().length > 3);
}

function whatWasDone({ edits, writes, isNew, names, firstLine }: Changed): string {
  const times = (count: number) => (count === 1 ? "" : count === 2 ? " twice" : ` ${count} times`);
  const rewrites = isNew ? writes - 1 : writes;
  const verbs = [
    ...(isNew ? ["created"] : []),
    ...(rewrites > 0 ? [`written${times(rewrites)}`] : []),
    ...(edits > 0 ? [`edited${times(edits)}`] : []),
  ].join(", ");
  if (names.size > 0) return `${verbs}: ${[...names].map((name) => quoted(name, 60)).join(", ")}`;
  return firstLine === undefined ? verbs : `${verbs}: ${quoted(firstLine, 90)}`;
}

/** Things others call; variables inside them only where they stand at the margin. */
const NAME =
  /^(?:\s*(?:(?:export|default|async|public|private|static|pub) )*(?:function\*?|class|def|func|fn|interface|struct|enum|trait)|(?:export )?(?:const|let|type|var))\s+(?:\([^)\n]*\)\s*)?([A-Za-z_$][\w$]{2,59})/gm;
const MAX_ADDED_CHARS = 20_000;

function namesIn(added: string): readonly string[] {
  return [...added.matchAll(NAME)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** The new text of an edit, whatever its field is called; of a patch, the lines it adds to this file. */
export function addedText(input: Json, path: string): string {
  const text = typeof input === "string" ? input : addedIn(object(input));
  const bounded = text.slice(0, MAX_ADDED_CHARS);
  if (!bounded.includes("*** Begin Patch")) return bounded;
  return patchLines(bounded, path, "+");
}

const OLD_TEXT = ["old_string", "old_str", "oldText", "old_text", "search", "target"];

/** What an edit takes out: the old text, or of a patch the lines it removes from this file. */
export function removedText(input: Json, path: string): string {
  const patch =
    typeof input === "string"
      ? input
      : (string(object(input)["input"]) ?? string(object(input)["patch"]) ?? "");
  if (patch.includes("*** Begin Patch")) return patchLines(patch, path, "-");
  if (typeof input === "string") return "";
  const fields = object(input);
  const own = OLD_TEXT.map((key) => string(fields[key])).find((value) => value !== undefined);
  const list = isList(fields["edits"]) ? fields["edits"] : [];
  return [own ?? "", ...list.map((edit) => removedText(edit, path))].join("\n").slice(0, MAX_ADDED_CHARS);
}

function patchLines(patch: string, path: string, mark: "+" | "-"): string {
  const start = patch.indexOf(`File: ${path}`);
  const end = patch.indexOf("\n*** ", start + 1);
  return patch
    .slice(Math.max(start, 0), end < 0 ? undefined : end)
    .split("\n")
    .flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : []))
    .join("\n");
}

const NEW_TEXT = [
  "new_string",
  "new_str",
  "newText",
  "new_text",
  "content",
  "file_text",
  "text",
  "replacement",
  "diff",
  "patch",
  "patchText",
  "input",
  "code_edit",
  "command",
  "cmd",
];

function addedIn(input: { readonly [key: string]: Json | undefined }): string {
  const own = NEW_TEXT.map((key) => string(input[key])).find(
    (value) => value !== undefined && value.length > 3,
  );
  if (own !== undefined && string(input["command"]) !== undefined && own === input["command"])
    return bodyOf(own);
  if (own !== undefined) return own;
  const list = isList(input["edits"]) ? input["edits"] : [];
  return list.map((edit) => (isObject(edit) ? addedIn(edit) : "")).join("\n");
}

/** Of a shell line only what a heredoc or a patch brings: the rest is the command. */
function bodyOf(command: string): string {
  const at = command.indexOf("\n");
  return at < 0 ? "" : command.slice(at + 1);
}

export function filesReadIn(story: Story): readonly SummaryLine[] {
  const modified = new Set<string>();
  const read = new Map<string, SummaryLine>();
  for (const deed of story.deeds) {
    for (const { path, does } of deed.use.files) {
      if (does !== "read") modified.add(path);
      else if (deed.outcome.kind === "done" && path.trim() !== "") {
        const shown = quoted(path, 300);
        read.delete(path);
        read.set(
          path,
          lineOf(shown, [deed.result, deed.call], {
            about: shown.startsWith("`") ? oneLine(path, 300) : undefined,
            maxRefs: 1,
          }),
        );
      }
    }
  }
  return [...read]
    .filter(([path]) => !modified.has(path))
    .map(([, line]) => line)
    .slice(-MAX_READ);
}
