/** `palimpsest mcp`: the tools for any host that speaks MCP. */
import { parseWords, usageError, wholeNumber } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { version } from "./version.ts";

const HELP = `palimpsest mcp [--http PORT] [--session ID] [--store DIR]

The tools read_ref and list_refs, and every original as a resource, for any host that speaks
MCP: over standard input and output, or over HTTP on 127.0.0.1.

  --http PORT     streamable HTTP at http://127.0.0.1:PORT/mcp; 0 takes any free port
  --session ID    whose originals (default: the session the host is in; over HTTP the header
                  x-palimpsest-session, or what the call says)
${STORE_HELP}
  --json          with --http: { url }, when it listens

Examples
  claude mcp add palimpsest -- palimpsest mcp
  palimpsest mcp --http 7420 --session 3f2c9a1e
`;

const OPTIONS = {
  ...STORE_OPTION,
  http: { type: "string" },
  session: { type: "string" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "mcp");
  if (positionals.length > 0) throw usageError(`"${positionals[0]}" is not understood here.`, "mcp");
  // The command line is the door to the other edges: it opens one at a time, and only the one that was asked for.
  const { serveMcpHttp, serveMcpStdio } = await import("../mcp/serve.ts");
  const { session } = values;
  const options = {
    version: version(),
    isOff: io.env["PALIMPSEST_OFF"] === "1",
    storePath: storePath(io, values.store),
    around: {
      env: io.env,
      cwd: process.cwd(),
      parentPid: process.ppid,
      ...(session === undefined ? {} : { session }),
    },
    onError: (error: unknown) =>
      io.err(`palimpsest mcp: ${error instanceof Error ? error.message : error}\n`),
  };
  if (values.http === undefined) {
    await serveMcpStdio(options);
    return EXIT.done;
  }
  const served = await serveMcpHttp({ ...options, port: wholeNumber(values.http, "--http", "mcp") });
  io.out(values.json ? `${JSON.stringify({ url: served.url })}\n` : `listening on ${served.url}\n`);
  await new Promise<void>((resolve) => process.once("SIGTERM", resolve).once("SIGINT", resolve));
  await served.close();
  return EXIT.done;
}

export const mcp: Command = {
  name: "mcp",
  summary: "the tools for any host that speaks MCP",
  help: HELP,
  run,
};
