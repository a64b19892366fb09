/** The command line: which command, and what happens when it goes wrong. */

import { PalimpsestError } from "../errors.ts";
import { largest } from "../transcript/extremes.ts";
import { EXIT, type Io } from "./io.ts";
import { version } from "./version.ts";
import { visible } from "./visible.ts";

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** Loaded when asked for: a server that a host starts with every session should not wait for the rest of the house. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  inspect: async () => (await import("./inspect.ts")).inspect,
  compact: async () => (await import("./compact.ts")).compact,
  refs: async () => (await import("./refs.ts")).refs,
  ref: async () => (await import("./ref.ts")).ref,
  restore: async () => (await import("./restore.ts")).restore,
  sessions: async () => (await import("./sessions.ts")).sessions,
  export: async () => (await import("./export.ts")).exportCommand,
  gc: async () => (await import("./gc.ts")).gc,
  policies: async () => (await import("./policies.ts")).policies,
  arena: async () => (await import("./arena.ts")).arena,
  install: async () => (await import("./install.ts")).install,
  uninstall: async () => (await import("./install.ts")).uninstall,
  doctor: async () => (await import("./doctor.ts")).doctor,
  mcp: async () => (await import("./mcp.ts")).mcp,
  agent: async () => (await import("./agent.ts")).agent,
};

/** There, and helped, but not in the list: the door of one is `npm start`, of the other a host's settings. */
const hidden: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import("./demo.ts")).demo,
  hook: async () => (await import("./hook.ts")).hook,
};

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return print(io, await overview());
  if (name === "--version" || name === "-v") return print(io, `${version()}\n`);
  const load = Object.hasOwn(commands, name)
    ? commands[name]
    : Object.hasOwn(hidden, name)
      ? hidden[name]
      : undefined;
  if (!load) return fail(io, `There is no command "${name}". ${known()}`, EXIT.usage);
  const command = await load();
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

async function overview(): Promise<string> {
  const listed = await Promise.all(Object.values(commands).map((load) => load()));
  const width = largest(listed.map(({ name }) => name.length));
  return [
    "palimpsest: what leaves an agent's context stays readable, byte for byte.",
    "",
    known(),
    "",
    ...listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ].join("\n");
}

function known(): string {
  return `Commands: ${Object.keys(commands).join(", ")}. "palimpsest <command> --help" says more.`;
}

function print(io: Io, text: string): number {
  io.out(text);
  return EXIT.done;
}

function fail(io: Io, message: string, code: number): number {
  // A message names what it is about, and what that is called may be anything.
  io.err(`palimpsest: ${visible(message)}\n`);
  return code;
}
