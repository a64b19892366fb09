/** grep and glob. Searching is `grep`'s own work: its expressions cannot run away, and it can be ended. */
import { join, relative } from "node:path";
import { runCommand } from "./command.ts";
import { readablePath } from "./paths.ts";
import { type AgentTool, BadCall, countOf, integer, schema, type ToolAround, text, textOf } from "./tool.ts";

const SKIPPED = [".git", "node_modules", ".palimpsest"];
const TIMEOUT_MS = 30_000;
const MOST_ROWS = 200;

export const grepTool: AgentTool = {
  name: "grep",
  description: "Find lines in files by an extended regular expression (grep -E): path:line:text.",
  input: schema(
    {
      pattern: text("as grep -E takes it"),
      path: text("a file or folder; default: the workspace"),
      include: text("only files of this name, e.g. *.ts"),
      limit: integer(`lines shown; default ${MOST_ROWS}`),
    },
    ["pattern"],
  ),
  asks: asksOutside,
  async run(input, around) {
    const { path } = await placeOf(input, around);
    const include = typeof input["include"] === "string" ? [`--include=${input["include"]}`] : [];
    const skipped = SKIPPED.map((folder) => `--exclude-dir=${folder}`);
    const words = ["-rnIE", ...include, ...skipped, "-e", textOf(input, "pattern"), "--", path];
    const ran = await runCommand(["grep", ...words], {
      cwd: around.workspace,
      timeoutMs: TIMEOUT_MS,
      maxChars: around.maxChars,
      spillPath: join(around.spoolFolder, `output-${around.callId.replaceAll(/[^\w-]/g, "")}.txt`),
      signal: around.signal,
    });
    if (ran.isTimedOut)
      throw new BadCall(`Ended after ${TIMEOUT_MS / 1000} seconds: search a smaller folder.`);
    if (ran.code !== 0 && ran.code !== 1) throw new BadCall(ran.output.trim() || "grep failed.");
    const near = ran.output.replaceAll(`${around.workspace}/`, "").trimEnd();
    return {
      text: near === "" ? "(nothing matches)" : firstOf(near.split("\n"), countOf(input, "limit", MOST_ROWS)),
    };
  },
};

export const globTool: AgentTool = {
  name: "glob",
  description: "List files by a pattern such as src/**/*.ts, sorted by name.",
  input: schema(
    { pattern: text("e.g. **/*.md"), path: text("the folder to look in; default: the workspace") },
    ["pattern"],
  ),
  asks: asksOutside,
  async run(input, around) {
    const { path } = await placeOf(input, around);
    const { glob } = await import("tinyglobby");
    const found = await glob(textOf(input, "pattern"), {
      cwd: path,
      dot: true,
      ignore: SKIPPED.map((folder) => `**/${folder}/**`),
      expandDirectories: false,
      followSymbolicLinks: false,
      signal: around.signal,
    });
    const from = relative(around.workspace, path);
    const rows = found.map((file) => join(from, file)).sort();
    return { text: rows.length === 0 ? "(no files)" : firstOf(rows, MOST_ROWS * 5) };
  },
};

async function asksOutside(input: Parameters<AgentTool["run"]>[0], around: ToolAround) {
  const { path, isInside } = await placeOf(input, around);
  return isInside ? undefined : ({ effect: "read", what: `search ${path} (outside the workspace)` } as const);
}

function placeOf(
  input: Parameters<AgentTool["run"]>[0],
  { workspace, spoolFolder }: ToolAround,
): ReturnType<typeof readablePath> {
  return readablePath([workspace, spoolFolder], typeof input["path"] === "string" ? input["path"] : ".");
}

function firstOf(rows: readonly string[], limit: number): string {
  const rest = rows.length > limit ? [`(${rows.length - limit} more; narrow the search)`] : [];
  return [...rows.slice(0, limit), ...rest].join("\n");
}
