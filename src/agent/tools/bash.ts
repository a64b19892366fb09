/** bash: a command line, with a time limit. */
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { shorten } from "../../transcript/describe.ts";
import { type Ran, runCommand } from "./command.ts";
import { type AgentTool, BadCall, countOf, integer, schema, text, textOf } from "./tool.ts";

const TIMEOUT_SECONDS = 120;
const MOST_SECONDS = 1_800;
const SHOWN_CHARS = 300;

export const bashTool: AgentTool = {
  name: "bash",
  description: `Run a shell command in the workspace. Output and errors come back together; it ends after ${TIMEOUT_SECONDS} seconds unless timeout_seconds says otherwise. Nothing can be typed into it.`,
  input: schema(
    {
      command: text("for bash -c"),
      cwd: text("a folder, relative to the workspace"),
      timeout_seconds: integer(`at most ${MOST_SECONDS}`),
    },
    ["command"],
  ),
  async asks(input) {
    const where = typeof input["cwd"] === "string" ? ` (in ${shorten(input["cwd"])})` : "";
    return { effect: "run", what: `run ${shorten(textOf(input, "command"), SHOWN_CHARS)}${where}` };
  },
  async run(input, { workspace, spoolFolder, maxChars, signal, callId }) {
    const seconds = Math.min(MOST_SECONDS, countOf(input, "timeout_seconds", TIMEOUT_SECONDS));
    const ran = await runCommand(["bash", "-c", textOf(input, "command")], {
      cwd: await folderOf(workspace, input["cwd"]),
      timeoutMs: seconds * 1000,
      maxChars,
      spillPath: join(spoolFolder, `output-${callId.replaceAll(/[^\w-]/g, "")}.txt`),
      signal,
    });
    return { text: told(ran, seconds), isError: ran.code !== 0 };
  },
};

async function folderOf(workspace: string, cwd: unknown): Promise<string> {
  if (typeof cwd !== "string" || cwd === "") return workspace;
  const folder = await realpath(resolve(workspace, cwd)).catch(() => undefined);
  if (folder !== undefined) return folder;
  throw new BadCall(`There is no folder ${cwd}.`);
}

function told({ output, code, isTimedOut, isStopped }: Ran, seconds: number): string {
  const said = output === "" ? "(no output)" : output.replace(/\n$/, "");
  if (isTimedOut) return `${said}\n(ended after ${seconds} seconds; it and what it started were killed)`;
  if (isStopped) return `${said}\n(interrupted; it and what it started were killed)`;
  return code === 0 ? said : `${said}\n(exit code ${code ?? "unknown"})`;
}
