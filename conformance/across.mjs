/** One store for all: what Claude Code was shown is read by Codex, where the user says that it goes on with that work. */
import { join } from "node:path";
import { configure, trust } from "./codex.mjs";
import {
  BIG,
  check,
  client,
  environment,
  holds,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  run,
  scratch,
} from "./drive.mjs";
import { NO_REF } from "./scenario.mjs";

export async function across() {
  const place = scratch("across");
  const ref = await inClaudeCode(place);
  const read = await inCodex(place, ref, { PALIMPSEST_PARENT: "latest" });
  check(
    "across: Codex, told that it goes on with that work, reads Claude Code's original byte for byte",
    read.read?.trimEnd() === BIG.trimEnd(),
    read.said.slice(0, 300),
  );
  const refused = await inCodex(place, ref, {});
  holds(
    "across: another host's session is refused what is not its own",
    refused.read === undefined && !refused.said.includes("2399 entry"),
    refused.said.slice(0, 200),
  );
  const cli = await palimpsest(["ref", ref], place);
  check("across: so does the command line", cli.out.trimEnd() === BIG.trimEnd(), cli.err);
  remove(place);
}

async function inClaudeCode(place) {
  await palimpsest(["install", "claude-code"], place, {
    PATH: `${join(client("claude", ""))}:${environment(place).PATH}`,
  });
  let ref = NO_REF;
  const { server } = await model({
    steps: [
      () => ({ calls: [{ name: "Bash", input: { command: "cat big.log", description: "r" } }] }),
      (request) => {
        ref = refIn(resultsIn(request).at(-1) ?? "") ?? ref;
        return "done";
      },
    ],
  });
  const env = environment(place, {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "sk-ant-dummy",
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  const words = ["-p", "read the log", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"];
  await run(client("claude", "claude"), words, { env, cwd: place.project });
  await server.close();
  return ref;
}

async function inCodex(place, ref, more) {
  let read;
  let said = "";
  const shell = (cmd) => ({ calls: [{ name: "exec_command", input: { cmd } }] });
  const { server } = await model({
    steps: [
      // Codex does not wait for its MCP servers; a moment, so that ours is there.
      () => shell("sleep 2"),
      ...reading(
        (input) => ({ calls: [{ name: "mcp__palimpsest__read_ref", input }] }),
        () => ref,
        (whole, result) => {
          read = whole;
          said = result;
          return "done";
        },
      ),
    ],
  });
  configure(place, server.url);
  await palimpsest(["install", "codex"], place);
  const env = environment(place, { CODEX_HOME: join(place.home, ".codex"), FAKE_KEY: "dummy", ...more });
  await trust(place, env);
  await run(client("codex", "codex"), ["exec", "--skip-git-repo-check", "--json", "go on"], {
    env,
    cwd: place.project,
  });
  await server.close();
  return { read, said };
}
