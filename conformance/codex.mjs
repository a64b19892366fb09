/** Codex, driven for real: a giant result, reading back, the guard, a compaction it does by itself, going on, resuming. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
  BIG,
  check,
  client,
  doctor,
  environment,
  holds,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  run,
  SMALL,
  scratch,
} from "./drive.mjs";

const CALL = (input) => ({ calls: [{ name: "mcp__palimpsest__read_ref", input }] });
/** Codex cuts outputs at 10,000 tokens unless the model asks for more; what it cuts never reaches a hook. */
const SHELL = (cmd) => ({
  calls: [{ name: "exec_command", input: { cmd, max_output_tokens: 100_000 } }],
});

export async function codex() {
  const place = scratch("codex");
  const kept = { ref: "ref_000000000000", small: "ref_000000000000" };
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return { ...SHELL(`cat > copy.log <<'E'\n${kept.shown}\nE`) };
    },
  );
  const [firstSmall, onwardSmall] = reading(
    CALL,
    () => kept.small,
    (whole) => {
      kept.smallRead = whole;
      return "done";
    },
  );
  const { server, seen } = await model({
    rules: [
      {
        tag: "compact",
        when: (_, text) => text.includes("CONTEXT CHECKPOINT COMPACTION"),
        reply: () => "THE SUMMARY",
      },
    ],
    steps: [
      () => SHELL("cat small.txt"),
      () => SHELL("cat big.log"),
      (request) => {
        kept.shown = resultsIn(request).at(-1);
        kept.ref = refIn(kept.shown) ?? kept.ref;
        return first();
      },
      onward,
      (request) => {
        kept.guarded = resultsIn(request).at(-1);
        return { ...SHELL("echo on"), usage: { uncachedTokens: 190_000 } };
      },
      (_, text) => {
        kept.after = text;
        kept.small = /(ref_[0-9a-hjkmnp-tv-z]{12}) \| File: small.txt/.exec(text)?.[1] ?? kept.small;
        return firstSmall();
      },
      onwardSmall,
    ],
  });
  configure(place, server.url);
  await palimpsest(["install", "codex"], place);
  const env = environment(place, { CODEX_HOME: join(place.home, ".codex"), FAKE_KEY: "dummy" });
  const words = ["--skip-git-repo-check", "--json"];
  await untrusted(place, env);
  await trust(place, env);
  const ran = await run(
    client("codex", "codex"),
    ["exec", ...words, "read the logs; never touch the port 48213"],
    { env, cwd: place.project },
  );
  await server.close();
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(0, 2000),
      ran.out.slice(-1500),
      seen.map(({ tag }) => tag).join(),
      JSON.stringify(kept, null, 1).slice(0, 5000),
    );

  check(
    "codex: a giant result is born as a preview with its ref",
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    "codex: the model reads it back byte for byte",
    kept.read?.trimEnd() === BIG.trimEnd(),
    kept.read?.slice(0, 300),
  );
  check(
    "codex: writing a stub into a file is refused",
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  check(
    "codex: after the compaction the page is there",
    kept.after?.includes("Kept outside the context (palimpsest)") === true &&
      kept.after.includes("THE SUMMARY"),
    seen.map(({ tag }) => tag).join(),
  );
  check(
    "codex: a small result that left is read back byte for byte",
    kept.smallRead?.includes(SMALL.trimEnd()) === true,
    kept.smallRead?.slice(0, 300),
  );
  holds(
    "codex: no request broke a provider's rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  await resumed({ place, kept, env, words });
  remove(place);
}

async function resumed({ place, kept, env, words }) {
  let read;
  const { server } = await model({
    steps: [
      // Codex does not wait for its MCP servers; a moment, so that ours is there.
      () => SHELL("sleep 2"),
      ...reading(
        CALL,
        () => kept.ref,
        (whole) => {
          read = whole;
          return "done";
        },
      ),
    ],
  });
  configure(place, server.url);
  await palimpsest(["install", "codex"], place);
  await trust(place, env);
  await run(client("codex", "codex"), ["exec", "resume", "--last", ...words, "go on"], {
    env,
    cwd: place.project,
  });
  await server.close();
  check(
    "codex: after a resume the ref still reads byte for byte",
    read?.trimEnd() === BIG.trimEnd(),
    read?.slice(0, 200),
  );
  await doctor("codex", place, { folder: "codex", env });
  const text = readFileSync(join(place.home, ".codex/config.toml"), "utf8");
  await palimpsest(["uninstall", "codex"], place);
  holds(
    "codex: uninstalling leaves the user's configuration",
    readFileSync(join(place.home, ".codex/config.toml"), "utf8") ===
      text.replace(/\n# palimpsest: begin[\s\S]*# palimpsest: end\n/, ""),
  );
}

/** Installed is not trusted: doctor must say so, because Codex does not. */
async function untrusted(place, env) {
  const ran = await palimpsest(["doctor", "codex", "--json"], place, {
    ...env,
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
