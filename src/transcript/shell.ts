/**
 * Which files a shell command reads and writes. Agents without file tools (Codex, SWE-agent, mini-swe-agent) read
 * with `sed -n`, write with heredocs and patch with `apply_patch`, so their files can only be found here.
 *
 * A reading, not an interpreter: variables, globs and subshells are left alone, and what is not certain is not said.
 */
import { parse } from "shell-quote";
import type { FileUse } from "./tool-use.ts";

/** Past this a command is a script; its first lines say what it does, and parsing all of it costs time per call. */
const MAX_CHARS = 20_000;

const READERS = new Set(["cat", "head", "tail", "nl", "less", "more", "bat", "tac", "xxd", "strings"]);
const SEARCHERS = new Set(["rg", "grep", "egrep", "fgrep", "ag", "find", "fd", "ls", "tree", "glob"]);
/** Programs that only pass text on: a line of these alone is a read. */
const PASSIVE = new Set([...READERS, "cd", "sed", "echo", "printf", "wc", "sort", "uniq", "cut", "tr"]);
const PREFIXES = new Set(["sudo", "command", "time", "nohup", "env"]);

export interface ShellUse {
  /** `read` and `search` where the whole line does nothing else. */
  readonly does: "read" | "search" | "run";
  readonly files: readonly FileUse[];
}

export function filesOfCommand(command: string): ShellUse {
  const { line, bodies } = withoutHeredocs(command.slice(0, MAX_CHARS));
  const files: FileUse[] = bodies.flatMap(filesOfPatch);
  const commands = simpleCommands(line);
  let folder = "";
  for (const { program, words, writes } of commands) {
    if (program === "cd") folder = join(folder, words[0] ?? "");
    const used = [...filesOf(program, words), ...writes.map((path): FileUse => ({ path, does: "write" }))];
    files.push(...used.map((use) => ({ ...use, path: join(folder, use.path) })));
  }
  return { does: doingOf(commands, files), files };
}

function doingOf(commands: readonly SimpleCommand[], files: readonly FileUse[]): ShellUse["does"] {
  const [first] = commands.filter(({ program }) => program !== "cd");
  if (!first || files.some((use) => use.does !== "read")) return "run";
  if (SEARCHERS.has(first.program)) return "search";
  return commands.every(({ program }) => PASSIVE.has(program)) && files.length > 0 ? "read" : "run";
}

/** `*** Update File: a.ts` and its kin, wherever a patch stands. */
export function filesOfPatch(patch: string): readonly FileUse[] {
  return [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/gm)].map(([, verb, path]) => ({
    path: path ?? "",
    does: verb === "Add" ? "write" : "edit",
  }));
}

function withoutHeredocs(command: string): { readonly line: string; readonly bodies: readonly string[] } {
  const bodies: string[] = [];
  const line = command.replace(
    /(<<-?\s*(['"]?)(\w+)\2[^\n]*)\n([\s\S]*?)(?:\n\s*\3(?=\s|$)|$)/g,
    (_, start, __, ___, body) => {
      bodies.push(String(body));
      return String(start).replace(/<<-?\s*(['"]?)\w+\1/, "");
    },
  );
  return { line, bodies };
}

interface SimpleCommand {
  readonly program: string;
  readonly words: readonly string[];
  /** Targets of `>` and `>>`. */
  readonly writes: readonly string[];
}

function simpleCommands(line: string): readonly SimpleCommand[] {
  const commands: { words: string[]; writes: string[] }[] = [{ words: [], writes: [] }];
  let redirect = "";
  for (const token of parsed(line.replaceAll("\n", " ; "))) {
    const open = commands.at(-1);
    const word = typeof token === "string" ? token : "pattern" in token ? token.pattern : undefined;
    const operator = typeof token !== "string" && "op" in token ? token.op : "";
    if (word !== undefined && redirect === "") open?.words.push(word);
    else if (word !== undefined && /^(>|>>|&>)$/.test(redirect) && word !== "/dev/null")
      open?.writes.push(word);
    else if (word === undefined && !/[<>]/.test(operator)) commands.push({ words: [], writes: [] });
    redirect = word === undefined && /[<>]/.test(operator) ? operator : "";
  }
  return commands
    .map(({ words, writes }) => ({ ...programOf(words), writes }))
    .filter(({ program, writes }) => program !== "" || writes.length > 0);
}

/** Nothing quoted, joined or expanded, as most lines are: words alone, which a parser takes twenty times as long to find. */
const PLAIN = /^[\w ./@+:,=%-]*$/;

function parsed(line: string): ReturnType<typeof parse> {
  if (PLAIN.test(line)) return line.split(" ").filter((word) => word !== "");
  try {
    // Variables stay as they are written: we do not know their values, and must not guess paths from them.
    return parse(line, (name) => `$${name}`);
  } catch {
    return [];
  }
}

function programOf(words: readonly string[]): {
  readonly program: string;
  readonly words: readonly string[];
} {
  const start = words.findIndex((word) => !PREFIXES.has(word) && !/^\w+=/.test(word));
  const [program = "", ...rest] = start < 0 ? [] : words.slice(start);
  return { program, words: rest };
}

function filesOf(program: string, words: readonly string[]): readonly FileUse[] {
  const paths = words.filter(isPath);
  if (program === "tee") return paths.map((path): FileUse => ({ path, does: "write" }));
  if (program === "sed") return filesOfSed(words);
  if (program === "apply_patch") return words.flatMap(filesOfPatch);
  if (READERS.has(program))
    return paths.map((path): FileUse => ({ path, does: "read", ...rangeOf(program, words) }));
  return [];
}

/** `sed -n '120,180p' file` reads those lines; `sed -i` edits; any other sed only transforms a stream. */
function filesOfSed(words: readonly string[]): readonly FileUse[] {
  const path = words.at(-1);
  if (path === undefined || !isPath(path) || words.length < 2) return [];
  if (words.some((word) => /^-\w*i|^--in-place/.test(word))) return [{ path, does: "edit" }];
  const range = words.map((word) => /^(\d+),(\d+)p$/.exec(word)).find((found) => found !== null);
  if (!range || !words.includes("-n")) return [];
  return [{ path, does: "read", fromLine: Number(range[1]), toLine: Number(range[2]) }];
}

function rangeOf(program: string, words: readonly string[]): Pick<FileUse, "fromLine" | "toLine"> {
  if (program !== "head") return {};
  const flag = words
    .map((word, index) => /^-n?(\d+)$/.exec(word)?.[1] ?? (word === "-n" ? words[index + 1] : undefined))
    .find((found) => found !== undefined);
  return { fromLine: 1, toLine: Number(flag ?? 10) };
}

function isPath(word: string): boolean {
  return (
    /^[\w./~@+-]+$/.test(word) && !word.startsWith("-") && !/^\d+$/.test(word) && /[./]|^[A-Z]\w+$/.test(word)
  );
}

function join(folder: string, path: string): string {
  return folder === "" || path.startsWith("/") || path.startsWith("~") ? path : `${folder}/${path}`;
}
