#!/usr/bin/env node
/** Hosts start `hook` at every tool call: that door opens onto one small file and nothing else. */
const [, , name, ...rest] = process.argv;
const OLDEST_NODE = 20;
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `palimpsest: this is Node ${process.versions.node}, and ${OLDEST_NODE} is the oldest that will do. Install a newer one and run "palimpsest install" with it again.\n`,
  );
  // A hook that cannot run must not stop its host.
  process.exitCode = name === "hook" ? 0 : 1;
} else if (name === "hook" && rest.length >= 2 && !rest.includes("--help")) {
  const { hook } = await import("../hosts/hook.ts");
  await hook(rest[0] ?? "", rest[1] ?? "");
} else {
  const { main } = await import("./main.ts");
  // A reader that went away (`palimpsest inspect x | head`) is not an error worth a stack trace.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 100,
    env: process.env,
  });
}

export {};
