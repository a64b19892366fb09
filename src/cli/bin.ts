#!/usr/bin/env node
import { main } from "./main.ts";

// A reader that went away (`palimpsest inspect x | head`) is not an error worth a stack trace.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
  columns: process.stdout.columns ?? 100,
  env: process.env,
});
