/** Codex, driven for real: a giant result, reading back, the guard, a compaction it does by itself, going on, resuming. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
  const words = ["--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust"];
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
    steps: reading(
      CALL,
      () => kept.ref,
      (whole) => {
        read = whole;
        return "done";
      },
    ),
  });
  configure(place, server.url);
  await palimpsest(["install", "codex"], place);
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
  const text = readFileSync(join(place.home, ".codex/config.toml"), "utf8");
  await palimpsest(["uninstall", "codex"], place);
  holds(
    "codex: uninstalling leaves the user's configuration",
    text.startsWith(readFileSync(join(place.home, ".codex/config.toml"), "utf8")),
  );
}

function configure(place, url) {
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
