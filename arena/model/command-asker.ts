/**
 * Any program as the one who answers: the question on its standard input, the answer on its output. To read something
 * back it answers with one line, `READ ref_…` or `LIST words`, and is asked again with what that gave.
 */
import { spawn } from "node:child_process";
import { PalimpsestError, runTool, type Store } from "palimpsest";
import type { Answer, Asker } from "./asker.ts";

const MOST_READS = 5;
const HOW = "To read something back, answer with one line only: READ <ref>, or LIST <words>.";

export function commandAsker(command: string): Asker {
  return {
    name: `command:${command}`,
    async ask({ system, prompt, store }): Promise<Answer> {
      let asked = [system, ...(store ? [HOW] : []), prompt].join("\n\n");
      for (let reads = 0; ; reads += 1) {
        const text = await run(command, asked);
        const read = store && reads < MOST_READS ? await readBy(text, store) : undefined;
        if (read === undefined) return { text, inputTokens: 0, outputTokens: 0, reads };
        asked = `${asked}\n\n${text.trim()}\n${read}`;
      }
    },
  };
}

async function readBy(text: string, store: Store): Promise<string | undefined> {
  const [, verb, what = ""] = /^\s*(READ|LIST)\s+(.*)$/m.exec(text) ?? [];
  if (verb === undefined) return undefined;
  const [name, input] =
    verb === "READ" ? ["read_ref", { ref: what.trim() }] : ["list_refs", { contains: what.trim() }];
  return (await runTool(name, input, { store, sessionId: "arena" })).text;
}

function run(command: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0
        ? resolve(output)
        : reject(new PalimpsestError("usage", `The command "${command}" ended with code ${code}.`)),
    );
    // A program that does not read its input closes it first; what it answers counts all the same.
    child.stdin.on("error", () => undefined).end(input);
  });
}
