/**
 * What only Claude Code is asked by the doctor: whether it takes our plugin as it is, and whether a compaction is really ours.
 * It is filled until the scripted model says that the prompt is too long, and then its next request is looked at.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../doctor.ts";
import { versionOf } from "../host-version.ts";
import type { Place } from "../settings-file.ts";
import { FUNCTION_HOOKS_SINCE, hasFunctionHooks, pluginFolder } from "./install.ts";

type Examined = Pick<Place, "scope" | "home" | "project" | "env">;

export async function examineClaudeCode(place: Examined): Promise<readonly Finding[]> {
  const version = versionOf("claude", place.env) ?? "";
  const isInside = hasFunctionHooks(version);
  const how: Finding = {
    what: "how it runs us",
    isGood: true,
    detail: isInside
      ? `by function hooks: compaction is ${place.env["PALIMPSEST_COMPACTION"] === "host" ? "left to it (PALIMPSEST_COMPACTION=host)" : "ours"}`
      : `by hook processes: version ${version} has no function hooks (${FUNCTION_HOOKS_SINCE} is the first), so its own model still writes the summary`,
  };
  const isOurs = isInside && place.env["PALIMPSEST_COMPACTION"] !== "host";
  const plugin = isInside ? [pluginFinding(place), ...twiceFindings(place)] : [];
  return [how, ...plugin, await compactionFinding(place, isOurs)];
}

/** A module the host refuses is not loaded, and nothing says so but this. */
function pluginFinding(place: Examined): Finding {
  const what = "it takes the plugin as it is";
  const folder = pluginFolder(place);
  const ran = spawnSync("claude", ["plugin", "validate", folder], {
    env: { ...place.env },
    encoding: "utf8",
    timeout: 60_000,
  });
  const said = `${ran.stdout ?? ""}${ran.stderr ?? ""}`;
  const hooks = /register\.ts hooks: (.+)/.exec(said)?.[1]?.split(", ").length ?? 0;
  const isGood = ran.status === 0 && hooks > 0;
  const why = /❯ (.*register\.ts.*)/.exec(said)?.[1] ?? said.trim().slice(-200);
  return { what, isGood, detail: isGood ? `${hooks} hooks` : `Hooks (${hooks}): ${why}` };
}

/** From a marketplace as well: both would run. */
function twiceFindings(place: Examined): readonly Finding[] {
  const ran = spawnSync("claude", ["plugin", "list"], {
    env: { ...place.env },
    encoding: "utf8",
    timeout: 60_000,
  });
  const listed = (ran.stdout ?? "").match(/\bpalimpsest@[\w.-]+/g) ?? [];
  const others = [...new Set(listed)].filter((id) => id !== "palimpsest@skills-dir");
  if (others.length === 0) return [];
  const detail = `also as ${others.join(", ")}: run "claude plugin uninstall ${others[0]}", or "palimpsest uninstall claude-code"`;
  return [{ what: "it is there once", isGood: false, detail }];
}

const SUMMARIZER = "Your task is to create a detailed summary of the conversation so far";
/** Enough steps of a few thousand tokens each that most of them must leave. */
const STEPS = 10;

interface Seen {
  step: number;
  summarized: boolean;
  after: string;
}

async function compactionFinding(place: Examined, isOurs: boolean): Promise<Finding> {
  const what = isOurs ? "compaction is taken over" : "its compaction is completed";
  const { summarized, after } = await overflowing(place);
  if (after === "")
    return { what, isGood: false, detail: "after a prompt that was too long it did not go on" };
  if (!isOurs) {
    const isGood = after.includes("Kept outside the context (palimpsest)");
    return { what, isGood, detail: isGood ? "the page follows its summary" : "no page of ours followed" };
  }
  const isGood = !summarized && after.includes("# Earlier work, folded");
  const bad = summarized
    ? `Claude Code asked its model for a summary: ${whyNot(place)}`
    : "no page of ours followed";
  return { what, isGood, detail: isGood ? "no model was asked, and the newest steps stayed" : bad };
}

function whyNot({ scope }: Examined): string {
  return scope === "project"
    ? "the plugin of a project runs only in a folder you have trusted: start claude here once, say yes, and ask again"
    : "the function hooks did not load, or they failed (start it with --debug)";
}

async function overflowing({ env, scope, project }: Examined): Promise<Seen> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-doctor-")));
  const seen: Seen = { step: 0, summarized: false, after: "" };
  // A provider to test against, which this is; loaded here and by tests alone.
  const { startModelServer } = await import("../../testing/index.ts");
  const server = await startModelServer({ script: ({ body }) => replyTo(JSON.stringify(body), seen) });
  try {
    const words = ["-p", "palimpsest doctor", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"];
    const cwd = scope === "project" ? project : folder;
    await started(
      words,
      { ...env, ...environmentFor(server.url), PALIMPSEST_HOME: join(folder, "store") },
      cwd,
    );
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return seen;
}

function replyTo(sent: string, seen: Seen) {
  if (sent.includes(SUMMARIZER)) {
    seen.summarized = true;
    return "<summary>\nnothing\n</summary>";
  }
  seen.step += 1;
  if (seen.step <= STEPS)
    return {
      calls: [{ name: "Bash", input: { command: fill(seen.step), description: "palimpsest doctor" } }],
    };
  if (seen.step === STEPS + 1) return { fault: "overflow" as const };
  seen.after ||= sent;
  return "done";
}

function fill(step: number): string {
  return `seq ${step * 10_000} ${step * 10_000 + 1_999}`;
}

function environmentFor(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-doctor",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

const TIMEOUT_MS = 90_000;

function started(words: readonly string[], env: Place["env"], cwd: string): Promise<void> {
  return new Promise((done) => {
    const child = spawn("claude", [...words], { env: { ...env }, cwd, stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.once("error", () => done());
    child.once("close", () => {
      clearTimeout(timer);
      done();
    });
  });
}
