/** The command line: which command, and what happens when it goes wrong. */
import { createRequire } from "node:module";
import { PalimpsestError } from "../errors.ts";
import { arena } from "./arena.ts";
import { compact } from "./compact.ts";
import { demo } from "./demo.ts";
import { exportCommand } from "./export.ts";
import { gc } from "./gc.ts";
import { inspect } from "./inspect.ts";
import { EXIT, type Io } from "./io.ts";
import { policies } from "./policies.ts";
import { ref } from "./ref.ts";
import { refs } from "./refs.ts";
import { restore } from "./restore.ts";
import { sessions } from "./sessions.ts";

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
}

const commands: readonly Command[] = [
  inspect,
  compact,
  refs,
  ref,
  restore,
  sessions,
  exportCommand,
  gc,
  policies,
  arena,
];

/** There, and helped, but not in the list: `npm start` is its door. */
const hidden: readonly Command[] = [demo];

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return print(io, overview());
  if (name === "--version" || name === "-v") return print(io, `${version()}\n`);
  const command = [...commands, ...hidden].find((candidate) => candidate.name === name);
  if (!command)
    return fail(io, `There is no command "${name}". ${overview().split("\n")[2]?.trim() ?? ""}`, EXIT.usage);
  if (rest.includes("--help") || rest.includes("-h")) return print(io, command.help);
  return runCommand(command, rest, io);
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  try {
    return await command.run(argv, io);
  } catch (error) {
    if (error instanceof PalimpsestError)
      return fail(io, error.message, error.code === "usage" ? EXIT.usage : EXIT.failed);
    // Ours to mend. One line for the user; the stack for whoever asks for it.
    if (io.env["PALIMPSEST_DEBUG"] !== undefined) throw error;
    const what = error instanceof Error ? error.message : String(error);
    return fail(
      io,
      `something went wrong that should not: ${what} (PALIMPSEST_DEBUG=1 shows where)`,
      EXIT.failed,
    );
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "palimpsest: what leaves an agent's context stays readable, byte for byte.",
    "",
    `Commands: ${commands.map(({ name }) => name).join(", ")}. "palimpsest <command> --help" says more.`,
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ].join("\n");
}

function print(io: Io, text: string): number {
  io.out(text);
  return EXIT.done;
}

function fail(io: Io, message: string, code: number): number {
  io.err(`palimpsest: ${message}\n`);
  return code;
}

function version(): string {
  const manifest: { version: string } = createRequire(import.meta.url)("../../package.json");
  return manifest.version;
}
