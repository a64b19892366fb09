/**
 * What a tool call does, told from its name and input: which files it reads, edits and writes, what it runs. Every
 * harness has its own names for the same dozen tools; this is the one place that knows them, so that "a file read
 * twice" means the same in Claude Code, Codex and SWE-agent.
 */
import { isList, isObject, type Json, type JsonObject, number, object, string } from "./json.ts";
import type { ToolCallPart } from "./message.ts";
import { filesOfCommand, filesOfPatch } from "./shell.ts";

export type Doing =
  | "read"
  | "edit"
  | "write"
  | "search"
  | "run"
  | "fetch"
  | "plan"
  | "delegate"
  | "recall"
  | "other";

export interface ToolUse {
  readonly does: Doing;
  readonly files: readonly FileUse[];
  readonly command?: string;
}

export interface FileUse {
  /** As the call spells it, `./` and doubled slashes removed; relative to the harness's working directory. */
  readonly path: string;
  readonly does: "read" | "edit" | "write";
  /** The lines read, counted from 1; absent for the whole file. */
  readonly fromLine?: number;
  readonly toLine?: number;
}

/** Lower case, `_` and `-` removed, so that `read_file`, `ReadFile` and `readFile` are one name. */
const NAMES: Readonly<Record<Exclude<Doing, "other">, readonly string[]>> = {
  read: [
    "read",
    "readfile",
    "readfiles",
    "readmanyfiles",
    "view",
    "viewfile",
    "open",
    "openfile",
    "cat",
    "fsread",
    "getfile",
    "viewimage",
  ],
  edit: [
    "edit",
    "multiedit",
    "editfile",
    "strreplace",
    "strreplaceeditor",
    "strreplacebasededittool",
    "replace",
    "replaceinfile",
    "patch",
    "applypatch",
    "applydiff",
    "notebookedit",
    "editor",
    "inserteditintofile",
    "insert",
    "searchreplace",
    "searchandreplace",
  ],
  write: ["write", "writefile", "writetofile", "create", "createfile", "fswrite", "savefile"],
  search: [
    "grep",
    "glob",
    "search",
    "searchgrep",
    "searchfiles",
    "searchfilecontent",
    "searchcode",
    "codebasesearch",
    "list",
    "ls",
    "listfiles",
    "listdirectory",
    "listdir",
    "find",
    "findfiles",
    "filesearch",
    "grepsearch",
    "toolsearch",
    "rg",
    "searchcodebase",
  ],
  run: [
    "bash",
    "shell",
    "execcommand",
    "exec",
    "runshellcommand",
    "executecommand",
    "executebash",
    "executeipythoncell",
    "runterminalcmd",
    "runcommand",
    "runcommands",
    "localshell",
    "containerexec",
    "run",
    "terminal",
    "writestdin",
    "bashoutput",
    "readbash",
    "writebash",
    "process",
    "powershell",
    "python",
  ],
  fetch: [
    "webfetch",
    "websearch",
    "fetch",
    "fetchurl",
    "googlewebsearch",
    "browser",
    "browseraction",
    "webrun",
    "browse",
  ],
  plan: [
    "todowrite",
    "todoread",
    "updateplan",
    "todo",
    "todos",
    "writetodos",
    "tasktracker",
    "exitplanmode",
    "enterplanmode",
    "taskcreate",
    "taskupdate",
    "tasklist",
    "reportintent",
    "updatetodos",
    "managetodolist",
  ],
  delegate: [
    "task",
    "agent",
    "subagent",
    "spawnagent",
    "newtask",
    "delegate",
    "sendinput",
    "waitagent",
    "closeagent",
    "taskoutput",
  ],
  recall: ["readref", "listrefs"],
};
const DOES: ReadonlyMap<string, Doing> = new Map(
  Object.entries(NAMES).flatMap(([does, names]) => names.map((name) => [name, does as Doing] as const)),
);

const PATH_KEYS = [
  "file_path",
  "filePath",
  "path",
  "file",
  "filename",
  "absolute_path",
  "notebook_path",
  "target_file",
  "paths",
  "files",
  "file_paths",
];

export function toolUse(call: ToolCallPart): ToolUse {
  const known = uses.get(call);
  if (known) return known;
  const use = read(call);
  uses.set(call, use);
  return use;
}

/** Calls are immutable and asked about often (by file, by turn, by rule): each is looked into once. */
const uses = new WeakMap<ToolCallPart, ToolUse>();

function read(call: ToolCallPart): ToolUse {
  const does = doing(call.name);
  const input = object(call.input);
  const command = commandOf(call.input);
  if (does === "run" && command !== undefined) return readCommand(command);
  const patch = does === "edit" ? patchIn(call.input) : undefined;
  if (patch !== undefined) return { does, files: filesOfPatch(patch).map(tidy) };
  if (does === "edit") return readEditor(input);
  if (does === "read" || does === "write") return { does, files: filesIn(input, does) };
  return { does, files: [], ...(command === undefined ? {} : { command }) };
}

/** The patch stands alone, or in a field that each harness names otherwise: `input`, `patch`, `patchText`. */
function patchIn(input: Json): string | undefined {
  const texts =
    typeof input === "string" ? [input] : Object.values(object(input)).map((value) => string(value) ?? "");
  return texts.find((text) => text.includes("*** Begin Patch"));
}

/** `mcp__files__read_file` does what `read_file` does. */
function doing(name: string): Doing {
  const last = name.split(/__|\.|\//).at(-1) ?? name;
  return DOES.get(last.toLowerCase().replaceAll(/[_-]/g, "")) ?? "other";
}

/** Editors that do several things say which in `command`: view, create, str_replace, insert. */
function readEditor(input: JsonObject): ToolUse {
  const command = string(input["command"]);
  const does = command === "view" ? "read" : command === "create" ? "write" : "edit";
  return { does, files: filesIn(input, does) };
}

function readCommand(command: string): ToolUse {
  const { does, files } = filesOfCommand(command);
  return { does, files: files.map(tidy), command };
}

function commandOf(input: Json): string | undefined {
  if (typeof input === "string") return input;
  const value =
    object(input)["command"] ?? object(input)["cmd"] ?? object(input)["script"] ?? object(input)["commands"];
  if (!isList(value)) return string(value);
  const words = value.filter((word) => typeof word === "string");
  // `["bash", "-lc", "…"]` is how Codex and others spell one shell line.
  const shellLine =
    /(^|\/)(ba|z)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "") ? words[2] : undefined;
  return shellLine ?? words.join(" ");
}

function filesIn(input: JsonObject, does: FileUse["does"]): readonly FileUse[] {
  const found = PATH_KEYS.map((key) => input[key]).find((value) => value !== undefined);
  const items = isList(found) ? found : found === undefined ? [] : [found];
  return items.flatMap((item) => {
    const fields = isObject(item) ? item : input;
    const path = isObject(item) ? string(item["path"] ?? item["file_path"]) : string(item);
    return path === undefined ? [] : [tidy({ path, does, ...(does === "read" ? linesIn(fields) : {}) })];
  });
}

function linesIn(input: JsonObject): Pick<FileUse, "fromLine" | "toLine"> {
  const [viewFrom, viewTo] = isList(input["view_range"])
    ? input["view_range"].map((value) => number(value))
    : [];
  const from = number(input["offset"]) ?? number(input["start_line"]) ?? viewFrom;
  const limit = number(input["limit"]);
  const end = number(input["end_line"]) ?? viewTo;
  const to = limit === undefined ? end : (from ?? 1) + limit - 1;
  return {
    ...(from === undefined && to === undefined ? {} : { fromLine: from ?? 1 }),
    // Anthropic's editor says -1 for "to the end".
    ...(to === undefined || to < 0 ? {} : { toLine: to }),
  };
}

function tidy(use: FileUse): FileUse {
  const path = use.path
    .replace(/^file:\/\//, "")
    .replaceAll(/\/(\.?\/)+/g, "/")
    .replace(/^\.\//, "");
  return { ...use, path };
}
