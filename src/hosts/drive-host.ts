/** Starts a host for real, against a scripted model, in a store of its own, and looks at what the model was shown. */
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../transcript/json.ts";
import type { Transcript } from "../transcript/message.ts";
import type { Finding } from "./doctor.ts";
import type { Host, HostName } from "./host.ts";

export interface Driving {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scope: "user" | "project";
}

/** How a host is told to ask a model at this address, and what it calls its tools. */
interface Way {
  readonly words: (url: string) => readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly shell: (command: string) => {
    readonly name: string;
    readonly input: Record<string, string | number>;
  };
  readonly readRef: string;
  /** Why hooks may not run although they are installed. */
  readonly silent: string;
}

const WAYS: Readonly<Partial<Record<HostName, Way>>> = {
  "claude-code": {
    words: () => ["-p", "palimpsest doctor", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-ant-doctor",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    shell: (command) => ({ name: "Bash", input: { command, description: "palimpsest doctor" } }),
    readRef: "mcp__palimpsest__read_ref",
    silent:
      'hooks are off ("disableAllHooks", managed settings), or another hook replaced the result after us',
  },
  codex: {
    words: (url) => [
      ...["exec", "--skip-git-repo-check", "-c", 'model_provider="palimpsest_doctor"', "-c"],
      `model_providers.palimpsest_doctor={name="doctor",base_url="${url}/v1",env_key="PALIMPSEST_DOCTOR",wire_api="responses"}`,
      ...["--sandbox", "read-only", "palimpsest doctor"],
    ],
    env: () => ({ PALIMPSEST_DOCTOR: "none" }),
    shell: (cmd) => ({ name: "exec_command", input: { cmd, max_output_tokens: 100_000 } }),
    readRef: "mcp__palimpsest__read_ref",
    silent:
      "Codex runs no hook you have not trusted, and says nothing: start it, type /hooks, and trust the five of palimpsest",
  },
};

const LINES = 4_000;
const lineAt = (number: number) => `${number} a line of the doctor, ${(number * 7919) % 10007}`;
const TEXT = `${Array.from({ length: LINES }, (_, index) => lineAt(index + 1)).join("\n")}\n`;

export async function driveHost(host: Host, driving: Driving): Promise<readonly Finding[]> {
  const way = WAYS[host.name];
  if (!way)
    return [
      {
        what: "it was started for real",
        isGood: true,
        detail: `no: doctor cannot start ${host.title} without its own configuration; npm run conformance does`,
      },
    ];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-doctor-")));
  try {
    writeFileSync(join(folder, "big.log"), TEXT);
    const seen = await drive(host, way, { ...driving, folder });
    return findings(way, seen);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Seen {
  requests: number;
  isInSight: boolean;
  shown: string;
  read: string;
  said: string;
}

async function drive(
  host: Host,
  way: Way,
  { env, scope, folder }: Driving & { readonly folder: string },
): Promise<Seen> {
  const seen: Seen = { requests: 0, isInSight: false, shown: "", read: "", said: "" };
  // A provider to test against, which this is; loaded here and by tests alone.
  const { startModelServer } = await import("../testing/index.ts");
  const server = await startModelServer({ script: (request) => replyTo(request, { way, folder, seen }) });
  try {
    const cwd = scope === "project" ? process.cwd() : folder;
    const all = { ...env, ...way.env(server.url), PALIMPSEST_HOME: join(folder, "store") };
    seen.said = await started(host.program, way.words(server.url), all, cwd);
  } finally {
    await server.close();
  }
  return seen;
}

interface Watching {
  readonly way: Way;
  readonly folder: string;
  readonly seen: Seen;
}

/** The scripted model: print a large file, read its ref back, done. */
function replyTo(
  { transcript, body }: { readonly transcript: Transcript; readonly body: Json },
  { way, folder, seen }: Watching,
) {
  seen.requests += 1;
  // Looked for in all of the request: Codex puts tools into namespaces, and for some models into the input.
  const sent = JSON.stringify(body);
  seen.isInSight ||= /"\w*read_ref"/.test(sent) && sent.includes('"max_tokens":{');
  const parts = transcript.messages.flatMap((message) => message.parts);
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [JSON.stringify(part.output)] : []));
  // Some hosts do not wait for their MCP servers: a moment, so that they are there with the second request.
  if (results.length === 0) return { calls: [way.shell(`sleep 3 && cat ${join(folder, "big.log")}`)] };
  seen.shown = results[0] ?? "";
  seen.read = results[1] ?? "";
  const ref = /⟦(ref_[0-9a-hjkmnp-tv-z]{12})/.exec(seen.shown)?.[1];
  if (ref === undefined || results.length > 1) return "done";
  return { calls: [{ name: way.readRef, input: { ref, lines: `${LINES / 2}-${LINES / 2 + 5}` } }] };
}

const TIMEOUT_MS = 90_000;

/** What it said last on standard error, for a finding that it asked no model. */
function started(
  program: string,
  words: readonly string[],
  env: Driving["env"],
  cwd: string,
): Promise<string> {
  return new Promise((done) => {
    const child = spawn(program, [...words], { env: { ...env }, cwd, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => {
      said = `${said}${text}`.slice(-400);
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.once("error", (error) => done(String(error)));
    child.once("close", () => {
      clearTimeout(timer);
      done(said.trim());
    });
  });
}

function findings(way: Way, { requests, isInSight, shown, read, said }: Seen): readonly Finding[] {
  if (requests === 0)
    return [{ what: "it was started for real", isGood: false, detail: `it asked no model: ${said}` }];
  const isShortened = shown.includes("⟦ref_");
  const isRead = read.includes(lineAt(LINES / 2));
  return [
    {
      what: "the model sees read_ref",
      isGood: isInSight,
      detail: isInSight
        ? "with its schema"
        : "not, or only by name: the MCP server did not start, or its tools are deferred behind a search (Codex does that for some models; then only the instructions name them)",
    },
    {
      what: "hooks fire",
      isGood: isShortened,
      detail: isShortened ? "a giant result became a preview and a ref" : way.silent,
    },
    {
      what: "the tool answers",
      isGood: isRead,
      detail: isRead ? "the original was read back" : `read_ref gave: ${read.slice(0, 200) || "nothing"}`,
    },
  ];
}
