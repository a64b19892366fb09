/**
 * Claude Code before function hooks (2.1.197, what npm installs under Node 20), driven for real: hook processes, the MCP server,
 * an overflow it compacts by itself.
 */
import {
  BIG,
  check,
  client,
  doctor,
  environment,
  model,
  palimpsest,
  remove,
  run,
  scratch,
} from "./drive.mjs";
import { checkFirst, checkPage, checkResume, checkTold, firstSession, isWhole, WORDS } from "./scenario.mjs";

const HOST = "claude-code 2.1.197";
const READ = "mcp__palimpsest__read_ref";
const call = (input) => ({ calls: [{ name: READ, input }] });
const shell = (command) => ({ calls: [{ name: "Bash", input: { command, description: "r" } }] });
const SUMMARIZER = {
  tag: "compact",
  when: (_, text) => text.includes("Your task is to create a detailed summary of the conversation so far"),
  reply: () => "<analysis>a</analysis>\n<summary>\nTHE SUMMARY\n</summary>",
};

export async function claudeCodeClassic() {
  const place = scratch("claude-classic");
  await palimpsest(["install", "claude-code"], place);
  const write = (content) => ({
    calls: [{ name: "Write", input: { file_path: `${place.project}/copy.log`, content } }],
  });
  const { kept, steps } = firstSession({ shell, call, write, full: { fault: "overflow" } });
  const { server, seen } = await model({ rules: [SUMMARIZER], steps });
  const ran = await start(place, server.url, ["-p", WORDS]);
  await server.close();
  check(
    `${HOST}: the tools are in sight, not deferred`,
    // Not in the first request by all means: this version does not wait for a server that starts slowly.
    seen.some(({ request }) => request.transcript.tools?.some(({ name }) => name === READ)),
  );
  checkFirst(HOST, { kept, server, ran, seen });
  checkTold(HOST, { seen });
  checkPage(HOST, { kept, seen });
  const sessionId = /"session_id":"([^"]+)"/.exec(ran.out)?.[1] ?? "";
  const goOn = (url) => start(place, url, ["-p", "go on", "--resume", sessionId]);
  await checkResume(HOST, { kept, call, start: goOn });
  const cli = await palimpsest(["ref", kept.ref, "--session", sessionId], place);
  check(
    `${HOST}: the command line reads the same bytes`,
    isWhole(cli.out, BIG),
    cli.err || cli.out.slice(0, 100),
  );
  await doctor("claude-code", place, { folder: "claude-classic", env: { IS_SANDBOX: "1" } });
  remove(place);
}

function start(place, url, words) {
  const env = environment(place, {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-dummy",
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  const all = [
    ...[...words, "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5"],
    ...["--allowedTools", "Bash,Read,Write"],
  ];
  return run(client("claude-classic", "claude"), all, { env, cwd: place.project });
}
