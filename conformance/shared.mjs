/**
 * `npm run conformance:shared [suite…]`: the suites of `../shared/conformance`, which know nothing of us, with their own plugins
 * and hooks. Each runs without us, with us in every home a client is started in, and with us but compaction left to the host;
 * a check that passes without us must pass with us, or be one of those a takeover changes by being one. See docs/conformance.md.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BIN, CLIENTS, ROOT } from "./drive.mjs";
import { insideNamespace } from "./offline.mjs";

const SHARED = process.env.PALIMPSEST_SHARED ?? resolve(ROOT, "../shared/conformance");

/** `client`: folder in the cache, program, and the host we are installed into (none: it has no plugin of ours). */
const suites = {
  claude: { file: "claude.mjs", client: ["claude", "claude"], host: "claude-code" },
  opencode: { file: "opencode.mjs", client: ["opencode", "opencode"], host: "opencode" },
  codex: { file: "codex.mjs", client: ["codex", "codex"], host: "codex" },
  pi: { file: "pi.mjs", client: ["pi", "pi"], host: "pi" },
  gemini: { file: "gemini.mjs", client: ["gemini", "gemini"], host: "gemini-cli" },
  cline: { file: "cline.mjs", client: ["cline", "cline"] },
  "sdk-ai": { file: "install/sdks/ai-sdk.mjs", packages: "sdks" },
  "sdk-mcp": { file: "install/sdks/mcp-v2-test.mjs", packages: "sdks" },
  "sdk-agents": { file: "install/agents/oa.mjs", packages: "agents" },
  "sdk-langchain": { file: "install/lc/mw.mjs", packages: "lc" },
};

const rounds = [
  { name: "without us", isWithUs: false, env: {} },
  { name: "with us", isWithUs: true, env: {} },
  { name: "with us, compaction left to the host", isWithUs: true, env: { PALIMPSEST_COMPACTION: "host" } },
];

/** What a takeover changes by being one: these look for the host's own summarizer, which is then not asked. */
const EXPECTED = {};

const words = process.argv.slice(2);
if (!existsSync(SHARED)) {
  console.log(`${SHARED} is not here: nothing to run`);
  process.exit(0);
}
if (process.env.PALIMPSEST_OFFLINE === undefined) process.exit(insideNamespace(import.meta.url, words));

const wanted = words.filter((word) => !word.startsWith("--"));
const names = Object.keys(suites).filter((name) => wanted.length === 0 || wanted.includes(name));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "conf-shared-")));
const came = [];
for (const round of rounds) came.push(await runRound(round));
const isGood = report(came);
if (process.env.KEEP === "1") console.log(folder);
else rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

async function runRound(round) {
  const copy = join(folder, String(rounds.indexOf(round)));
  cpSync(SHARED, copy, { recursive: true, filter: (path) => !/\/(runs|node_modules)$/.test(path) });
  chmodSync(copy, 0o755);
  const about = names.filter((name) => !round.isWithUs || suites[name].host !== undefined);
  console.log(`##### ${round.name}: ${about.join(", ")}`);
  link(copy, "node22", ["node22", "node"]);
  for (const name of about) prepare(copy, suites[name], round);
  const checks = new Map();
  const waiting = [...about];
  const drain = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift())
      for (const [check, isTrue] of await runSuite(copy, name)) checks.set(check, isTrue);
  };
  await Promise.all([drain(), drain()]);
  if (round.isWithUs) console.log(proofIn(copy));
  return checks;
}

/** Clients and packages from the cache; where we go in, a starter that installs us into the home it is started in. */
function prepare(copy, { client, packages, host }, { isWithUs, env }) {
  if (packages !== undefined && existsSync(join(copy, "install", packages, "node_modules"))) return;
  if (packages !== undefined) {
    symlinkSync(
      join(CLIENTS, `shared-${packages}`, "node_modules"),
      join(copy, "install", packages, "node_modules"),
    );
    return;
  }
  const starter = link(copy, client[0], client);
  if (!isWithUs) return;
  const real = join(CLIENTS, client[0], "node_modules/.bin");
  rmSync(starter);
  const lines = [
    "#!/bin/sh",
    ...Object.entries(env).map(([name, value]) => `export ${name}=${value}`),
    `PATH="${real}:$PATH" "${process.execPath}" "${BIN}" install ${host} >> "$HOME/palimpsest-install.log" 2>&1 || exit 70`,
    `exec "${join(real, client[1])}" "$@"`,
  ];
  writeFileSync(starter, `${lines.join("\n")}\n`, { mode: 0o755 });
}

function link(copy, name, [from, program]) {
  const bin = join(copy, "install", name, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const starter = join(bin, program);
  if (!existsSync(starter))
    symlinkSync(realpathSync(join(CLIENTS, from, "node_modules/.bin", program)), starter);
  return starter;
}

/** Its PASS and FAIL lines; of a suite that prints none, whether it ended well. */
function runSuite(copy, name) {
  return new Promise((done) => {
    const began = Date.now();
    const node = join(copy, "install/node22/node_modules/.bin/node");
    const child = spawn(node, [suites[name].file], { cwd: copy, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (out += text));
    child.on("close", (code) => {
      const lines = [
        ...out.matchAll(/^(PASS|FAIL) {2}(.+?)(?: {2}— .*| (?:\d+ms|status=|\[|\{|[A-Z]\w+Error ).*)?$/gm),
      ];
      const checks = lines.map(([, verdict, check]) => [check.trim(), verdict === "PASS"]);
      if (checks.length === 0) checks.push([`${name}: ends well`, code === 0]);
      const passed = checks.filter(([, isTrue]) => isTrue).length;
      console.log(
        `${name}: ${passed} passed, ${checks.length - passed} failed (${Math.round((Date.now() - began) / 1000)} s)`,
      );
      if (process.env.VERBOSE || (code !== 0 && lines.length === 0)) console.log(out.slice(-4000));
      done(checks);
    });
  });
}

/** That we were really there: homes we were put into, and those of them where a session of ours was opened. */
function proofIn(copy) {
  const homes = readdirSync(join(copy, "runs")).map((name) => join(copy, "runs", name, "home"));
  const installed = homes.filter((home) => existsSync(join(home, "palimpsest-install.log")));
  const opened = installed.filter((home) => existsSync(join(home, ".palimpsest/store.db")));
  return `installed into ${installed.length} of ${homes.length} homes; in ${opened.length} a session of ours was opened`;
}

function report([without, withUs, leftToHost]) {
  const broken = [];
  for (const [check, isTrue] of withUs) {
    if (isTrue || without.get(check) !== true) continue;
    const reason = EXPECTED[check];
    const isLeft = leftToHost.get(check) === true;
    console.log(
      reason !== undefined && isLeft
        ? `expected to differ: ${check}\n    ${reason}; passes with PALIMPSEST_COMPACTION=host`
        : `BROKEN by us: ${check}${isLeft ? " (passes with PALIMPSEST_COMPACTION=host)" : ""}`,
    );
    if (reason === undefined || !isLeft) broken.push(check);
  }
  for (const [check, isTrue] of leftToHost)
    if (!isTrue && without.get(check) === true && withUs.get(check) === true) {
      console.log(`BROKEN with PALIMPSEST_COMPACTION=host: ${check}`);
      broken.push(check);
    }
  const count = (checks) => `${[...checks.values()].filter(Boolean).length} of ${checks.size}`;
  console.log(
    `without us ${count(without)}, with us ${count(withUs)}, compaction left to the host ${count(leftToHost)}`,
  );
  for (const [check, isTrue] of without) if (!isTrue) console.log(`fails without us too: ${check}`);
  console.log(`${withUs.size - broken.length} passed, ${broken.length} failed`);
  return broken.length === 0;
}
