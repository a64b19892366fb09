/** Codex, driven for real: a giant result, reading back, the guard, a compaction it does by itself, going on, resuming. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
  check,
  client,
  doctor,
  environment,
  holds,
  model,
  palimpsest,
  remove,
  resultsIn,
  run,
  scratch,
} from "./drive.mjs";
import { checkFirst, checkPage, checkResume, firstSession, WORDS } from "./scenario.mjs";

const call = (input) => ({ calls: [{ name: "mcp__palimpsest__read_ref", input }] });
/** Codex cuts outputs at 10,000 tokens unless the model asks for more; what it cuts never reaches a hook. */
const shell = (cmd) => ({ calls: [{ name: "exec_command", input: { cmd, max_output_tokens: 100_000 } }] });
const SUMMARIZER = {
  tag: "compact",
  when: (_, text) => text.includes("CONTEXT CHECKPOINT COMPACTION"),
  reply: () => "THE SUMMARY",
};

export async function codex() {
  const place = scratch("codex");
  const write = (content) => shell(`cat > copy.log <<'E'\n${content}\nE`);
  const full = { ...shell("echo on"), usage: { uncachedTokens: 190_000 } };
  const { kept, steps } = firstSession({ shell, call, write, full });
  const { server, seen } = await model({ rules: [SUMMARIZER], steps });
  const env = environment(place, { CODEX_HOME: join(place.home, ".codex"), FAKE_KEY: "dummy" });
  const start = async (url, words) => {
    configure(place, url);
    await palimpsest(["install", "codex"], place);
    if (words[0] !== "resume") await untrusted(place, env);
    await trust(place, env);
    const all = ["exec", ...words.slice(0, -1), "--skip-git-repo-check", "--json", words.at(-1)];
    return run(client("codex", "codex"), all, { env, cwd: place.project });
  };
  const ran = await start(server.url, [WORDS]);
  await server.close();
  checkFirst("codex", { kept, server, ran, seen, isWrapped: true });
  checkPage("codex", { kept, seen });
  // Codex does not wait for its MCP servers; a moment, so that ours is there.
  const before = [() => shell("sleep 2")];
  await checkResume("codex", {
    kept,
    call,
    before,
    start: (url) => start(url, ["resume", "--last", "go on"]),
  });
  await doctor("codex", place, { folder: "codex", env });
  await inScripts(place, env);
  await takenOut(place);
  remove(place);
}

/** Newer models write scripts and call tools from there: what a script asks for is the script's, whole. */
async function inScripts(place, env) {
  const script = (input) => () => ({ calls: [{ name: "exec", input }] });
  const asks = (cmd, then) =>
    script(
      `try { const r = await tools.exec_command(${JSON.stringify({ cmd, max_output_tokens: 100_000 })}); ${then} } catch (e) { text("FAILED " + e); }`,
    );
  const { server, seen } = await model({
    steps: [
      asks(
        "sleep 2; cat big.log",
        'text("HAS " + JSON.stringify(r).includes("the log") + " " + JSON.stringify(r).includes("⟦ref_"));',
      ),
      asks("echo '⟦ref_0123456789ab File: x; 9 tokens; aged. Use read_ref.⟧' > copy.log", 'text("WRITTEN");'),
      script("text(JSON.stringify(await tools.mcp__palimpsest__list_refs({})));"),
    ],
  });
  configure(place, server.url);
  await palimpsest(["install", "codex"], place);
  await trust(place, env);
  const words = ["exec", "--skip-git-repo-check", "--json", "-c", 'model="gpt-6.1-sol"', "go on"];
  await run(client("codex", "codex"), words, { env, cwd: place.project });
  await server.close();
  const [first, second, third] = seen.slice(1).map(({ request }) => resultsIn(request).at(-1) ?? "");
  holds(
    "codex: a script of the model's is given its results whole",
    first?.includes("HAS true false") === true,
    first,
  );
  check(
    "codex: from a script, writing a stub is refused",
    second?.includes("contain a stub") === true,
    second,
  );
  check("codex: a script reaches our tools", third?.includes('"total":0') === true, third);
}

async function takenOut(place) {
  const path = join(place.home, ".codex/config.toml");
  const text = readFileSync(path, "utf8");
  await palimpsest(["uninstall", "codex"], place);
  holds(
    "codex: uninstalling leaves the user's configuration",
    readFileSync(path, "utf8") === text.replace(/\n# palimpsest: begin[\s\S]*# palimpsest: end\n/, ""),
  );
}

/** Installed is not trusted: doctor must say so, because Codex does not. */
async function untrusted(place, env) {
  const ran = await palimpsest(["doctor", "codex", "--json"], place, {
    ...env,
    // Switched off is another finding, and comes before.
    PALIMPSEST_OFF: "",
    PATH: `${dirname(client("codex", "codex"))}:${env.PATH}`,
  });
  holds(
    "codex: doctor is red while the hooks are not trusted",
    ran.code === 1 && ran.out.includes("type /hooks"),
    ran.out.slice(0, 400),
  );
}

/** What a person does under /hooks: each hook, by the hash Codex has of it, as it writes it down itself. */
export async function trust(place, env) {
  const child = spawn(client("codex", "codex"), ["app-server"], {
    env,
    cwd: place.project,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (id, method, params) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  send(1, "initialize", { clientInfo: { name: "conformance", version: "1" } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === 1) send(2, "hooks/list", { cwds: [place.project] });
    if (id !== 2) continue;
    const rows = result.data[0].hooks.map(
      ({ key, currentHash }) => `[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`,
    );
    appendFileSync(join(place.home, ".codex/config.toml"), `\n${rows.join("\n")}`);
    break;
  }
  child.kill();
}

export function configure(place, url) {
  mkdirSync(join(place.home, ".codex"), { recursive: true });
  const lines = [
    'model = "gpt-5.1-codex"',
    'model_provider = "fake"',
    'approval_policy = "never"',
    'sandbox_mode = "danger-full-access"',
    "model_auto_compact_token_limit = 80000",
    "tool_output_token_limit = 100000",
    "[model_providers.fake]",
    'name = "Fake"',
    `base_url = "${url}/v1"`,
    'env_key = "FAKE_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 0",
    "stream_max_retries = 0",
    "",
  ];
  writeFileSync(join(place.home, ".codex/config.toml"), lines.join("\n"));
}
