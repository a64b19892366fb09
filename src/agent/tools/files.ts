/** read_file, write_file, edit_file. */

import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../store/folder.ts";
import { readablePath, writablePath } from "./paths.ts";
import { type AgentTool, BadCall, countOf, integer, schema, text, textOf } from "./tool.ts";

const MOST_BYTES = 20_000_000;

export const readFileTool: AgentTool = {
  name: "read_file",
  description: "Read a text file, with line numbers. Give offset and limit for a part of a long one.",
  input: schema(
    {
      path: text("relative to the workspace"),
      offset: integer("first line, from 1"),
      limit: integer("how many lines"),
    },
    ["path"],
  ),
  async asks(input, { workspace, spoolFolder }) {
    const { path, isInside } = await readablePath([workspace, spoolFolder], textOf(input, "path"));
    return isInside ? undefined : { effect: "read", what: `read ${path} (outside the workspace)` };
  },
  async run(input, { workspace, maxChars }) {
    const path = textOf(input, "path");
    const lines = (await contentOf((await readablePath([workspace], path)).path, path)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    const offset = countOf(input, "offset", 1);
    const asked = lines.slice(offset - 1, offset - 1 + countOf(input, "limit", lines.length));
    const shown = numbered(asked, offset, maxChars);
    const last = offset + shown.length - 1;
    const rest = last < lines.length ? `\n(lines ${offset}-${last} of ${lines.length})` : "";
    return { text: shown.length === 0 ? `(${path} has ${lines.length} lines)` : shown.join("\n") + rest };
  },
};

function linesIn(content: string): string {
  const lines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** As many lines as fit; one at least, cut where it alone is too long. */
function numbered(lines: readonly string[], offset: number, maxChars: number): readonly string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const row = `${offset + index}\t${line}`;
    chars += row.length + 1;
    if (chars > maxChars && shown.length > 0) break;
    shown.push(row.length > maxChars ? `${row.slice(0, maxChars)}… (line cut)` : row);
  }
  return shown;
}

async function contentOf(path: string, asked: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts) throw new BadCall(`There is no file ${asked}.`);
  if (!facts.isFile()) throw new BadCall(`${asked} is not a file; glob lists what is in a folder.`);
  if (facts.size > MOST_BYTES)
    throw new BadCall(`${asked} has ${facts.size} bytes; read parts of it with bash.`);
  const content = await readFile(path, "utf8");
  if (content.includes("\0")) throw new BadCall(`${asked} is not a text file.`);
  return content;
}

export const writeFileTool: AgentTool = {
  name: "write_file",
  description: "Write a file whole; folders are made. To change part of one, use edit_file.",
  input: schema({ path: text("relative to the workspace"), content: text("all of it") }, ["path", "content"]),
  async asks(input) {
    return { effect: "write", what: `write ${textOf(input, "path")}` };
  },
  async run(input, { workspace }) {
    const [path, content] = [textOf(input, "path"), textOf(input, "content")];
    await write(await writablePath(workspace, path), content);
    return { text: `Wrote ${path}: ${linesIn(content)}, ${content.length} characters.` };
  },
};

export const editFileTool: AgentTool = {
  name: "edit_file",
  description: "Replace an exact text in a file. It must occur once, unless replace_all is true.",
  input: schema(
    {
      path: text("relative to the workspace"),
      old_string: text("exactly as it stands there, without line numbers"),
      new_string: text("what takes its place"),
      replace_all: { type: "boolean" },
    },
    ["path", "old_string", "new_string"],
  ),
  async asks(input) {
    return { effect: "write", what: `edit ${textOf(input, "path")}` };
  },
  async run(input, { workspace }) {
    const [path, from, to] = [
      textOf(input, "path"),
      textOf(input, "old_string"),
      textOf(input, "new_string"),
    ];
    const real = await writablePath(workspace, path);
    const before = await contentOf(real, path);
    const pieces = before.split(from);
    const found = pieces.length - 1;
    if (from === "" || found === 0)
      throw new BadCall(`old_string does not occur in ${path}. Read the file again: it must match exactly.`);
    if (found > 1 && input["replace_all"] !== true)
      throw new BadCall(
        `old_string occurs ${found} times in ${path}: give more of its surroundings, or replace_all.`,
      );
    await write(real, pieces.join(to));
    return { text: `Edited ${path}: ${found} ${found === 1 ? "place" : "places"}.` };
  },
};

/** The path was judged with its links followed; a link put there since is not followed. */
async function write(path: string, content: string): Promise<void> {
  makeFolder(dirname(path));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(path, flags);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
