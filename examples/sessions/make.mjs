// Makes webhook-retries.jsonl: copies hookline/ into a temporary folder, plays story.mjs against it, and writes what
// happened as Claude Code writes it. Every tool call is really executed; only the words of the agent and the user, the
// clock and the ids are made up. Needs Node 20, git and bash. Two runs on one machine give the same bytes.
//
//   node examples/sessions/make.mjs [--check]     --check: compare with the file that is there, write nothing
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRecorder } from "./make/recorder.mjs";
import { bigLog, manyOrders } from "./make/material.mjs";
import { createTools } from "./make/tools.mjs";
import { tell } from "./make/story.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = join(here, "webhook-retries.jsonl");
const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-")));
const project = join(root, "home/dev/hookline");

try {
  prepare();
  const tools = createTools({ root, project });
  const recorder = createRecorder({ tools });
  await tell({ ...recorder, tools });
  const text = recorder.lines().map((record) => `${JSON.stringify(record)}\n`).join("");
  if (process.argv.includes("--check")) {
    const same = text === readFileSync(target, "utf8");
    console.log(same ? "the same bytes" : "different bytes");
    process.exitCode = same ? 0 : 1;
  } else writeFileSync(target, text);
  console.log(recorder.report(), `${text.length} chars in the file`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** The project as the agent finds it: two commits, a big fixture, a long log. */
function prepare() {
  mkdirSync(join(root, "home/dev"), { recursive: true });
  cpSync(join(here, "hookline"), project, { recursive: true });
  mkdirSync(join(project, "test/fixtures"), { recursive: true });
  mkdirSync(join(project, "logs"), { recursive: true });
  writeFileSync(join(project, "test/fixtures/orders.json"), `${JSON.stringify(manyOrders(), null, 2)}\n`);
  writeFileSync(join(project, "logs/delivery-2026-02-10.log"), bigLog());
  git("init", "-q", "-b", "main");
  git("add", "src", "config", "migrations", "scripts", "package.json", ".gitignore", "README.md", "docs");
  git("commit", "-q", "-m", "hookline 1.4.2");
  git("add", "-A");
  git("commit", "-q", "-m", "tests, fixture, the log of 10 February");
}

function git(...args) {
  const at = "2026-02-10T17:40:00Z";
  const who = { GIT_AUTHOR_NAME: "Mara Lindqvist", GIT_AUTHOR_EMAIL: "mara@hookline.example" };
  const env = { ...process.env, HOME: root, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, ...who,
    GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME, GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL };
  execFileSync("git", args, { cwd: project, env });
}
