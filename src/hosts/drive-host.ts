/** Starts a host for real, against a scripted model, in a store of its own, and looks at what the model was shown. */
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "../store/folder.ts";
import type { Json } from "../transcript/json.ts";
import type { Transcript } from "../transcript/message.ts";
import type { Finding } from "./doctor.ts";
import type { Host } from "./host.ts";
import { oneLine } from "./one-line.ts";
import { type Way, ways } from "./ways.ts";

export interface Driving {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scope: "user" | "project";
}

const LINES = 4_000;
const lineAt = (number: number) => `${number} a line of the doctor, ${(number * 7919) % 10007}`;
const TEXT = `${Array.from({ length: LINES }, (_, index) => lineAt(index + 1)).join("\n")}\n`;

export async function driveHost(host: Host, driving: Driving): Promise<readonly Finding[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-doctor-")));
  try {
    writeFileSync(join(folder, "big.log"), TEXT);
    const way = ways[host.name];
    return findings(way, await drive(host, way, { ...driving, folder }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Seen {
  requests: number;
  isInSight: boolean;
  shown: string;
  read: string;
  guarded: string;
  said: string;
}

async function drive(
  host: Host,
  way: Way,
  { env, scope, folder }: Driving & { readonly folder: string },
): Promise<Seen> {
  const seen: Seen = { requests: 0, isInSight: false, shown: "", read: "", guarded: "", said: "" };
  // A provider to test against, which this is; loaded here and by tests alone.
  const { startModelServer } = await import("../testing/index.ts");
  const server = await startModelServer({ script: (request) => replyTo(request, { way, folder, seen }) });
  try {
    const far = { url: server.url, folder, env };
    for (const [name, text] of Object.entries(way.files?.(far) ?? {})) {
      makeFolder(dirname(join(folder, name)));
      writeFileSync(join(folder, name), text);
    }
    const cwd = scope === "project" ? process.cwd() : folder;
    const all = { ...env, ...way.env(far), PALIMPSEST_HOME: join(folder, "store") };
    seen.said = await started(host.program, way.words(far), all, cwd);
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

/** The scripted model: print a large file, read its ref back, try to write a stub, done. */
function replyTo(
  { transcript, body }: { readonly transcript: Transcript; readonly body: Json },
  { way, folder, seen }: Watching,
) {
  // Looked for in all of the request: Codex puts tools into namespaces, and for some models into the input.
  const sent = JSON.stringify(body);
  // A title, or whatever else a host asks a model beside the work.
  if ((transcript.tools ?? []).length === 0 && !sent.includes(`"${way.shell("").name}"`)) return "doctor";
  seen.requests += 1;
  seen.isInSight ||= /"\w*read_ref"/.test(sent) && sent.includes('"max_tokens":{');
  const parts = transcript.messages.flatMap((message) => message.parts);
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [JSON.stringify(part.output)] : []));
  // Some hosts do not wait for their MCP servers: a moment, so that they are there with the second request.
  if (results.length === 0) return { calls: [way.shell(`sleep 3 && cat ${join(folder, "big.log")}`)] };
  [seen.shown = "", seen.read = "", seen.guarded = ""] = results;
  const ref = /⟦(ref_[0-9a-hjkmnp-tv-z]{12})/.exec(seen.shown)?.[1];
  if (ref === undefined || results.length > 2) return "done";
  if (results.length === 2)
    return { calls: [way.shell(`echo '⟦${ref} File: big.log; 9 tokens; aged. Use read_ref.⟧'`)] };
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

function findings(way: Way, { requests, said, ...seen }: Seen): readonly Finding[] {
  if (requests === 0)
    return [
      {
        what: "it was started for real",
        isGood: false,
        detail: `it asked no model, and said last: ${oneLine(said)}`,
      },
    ];
  const isShortened = seen.shown.includes("⟦ref_");
  const isRead = seen.read.includes(lineAt(LINES / 2));
  const isGuarded = seen.guarded.includes("contain a stub");
  const found = (what: string, isGood: boolean, good: string, bad: string): Finding => ({
    what,
    isGood,
    detail: isGood ? good : bad,
  });
  return [
    found("the model sees read_ref", seen.isInSight, "with its schema", DEFERRED),
    found("hooks fire", isShortened, "a giant result became a preview and a ref", way.silent),
    found("the tool answers", isRead, "the original was read back", `read_ref gave: ${sample(seen.read)}`),
    found(
      "a stub is not written",
      isGuarded,
      "a call with one was refused",
      `it ran: ${sample(seen.guarded)}`,
    ),
  ];
}

const DEFERRED =
  "not, or only by name: the server or plugin did not start, or its tools are deferred behind a search (Codex does that for some models; then only the instructions name them)";

function sample(text: string): string {
  return text.slice(0, 200) || "nothing";
}
