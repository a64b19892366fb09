/** What a user in trouble is told. A host here is a program that says its version, or one that asks a model and obeys it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { run, scratchFolder } from "../cli/run.ts";

const BIN = resolve(import.meta.dirname, "../../dist/cli/bin.js");
const FOLDER = scratchFolder();

/** A home with this program on the PATH, and nothing else but what a shell script needs. */
function place(program: string, script: string) {
  const home = mkdtempSync(join(FOLDER, "home-"));
  const bin = join(home, "bin");
  mkdirSync(bin);
  if (script !== "") writeFileSync(join(bin, program), script, { mode: 0o755 });
  const PATH = [
    bin,
    ...(process.env["PATH"] ?? "").split(delimiter).filter((one) => !one.includes("clients")),
  ].join(delimiter);
  const env = { HOME: home, PATH, PALIMPSEST_HOME: join(home, "store") };
  const palimpsest = (words: readonly string[], more: Record<string, string> = {}) =>
    run(words, { env: { ...env, ...more } });
  return { home, palimpsest };
}

const says = (text: string) => `#!/bin/sh\necho '${text}'\n`;
/** The lines that are bad: each one line, and the first word of what to do is in it. */
const bad = (out: string) => out.split("\n").filter((line) => line.startsWith("BAD "));

describe("doctor, before it starts anything", () => {
  test("a host that is not there", async () => {
    const { palimpsest } = place("gemini", "");
    await palimpsest(["install", "gemini-cli"]);
    const { code, out } = await palimpsest(["doctor", "gemini-cli"]);
    expect([code, bad(out)]).toEqual([
      1,
      ['BAD   Gemini CLI is here: there is no "gemini" on the PATH: install it, or add its folder'],
    ]);
  });

  test("a host that is too old, and one that cannot even say its version", async () => {
    const old = await place("gemini", says("0.59.9")).palimpsest(["doctor", "gemini-cli"]);
    expect(bad(old.out)[0]).toMatch(/version 0\.59\.9 is too old: 0\.61\.0 is the first .*; update it/);
    const ill = place(
      "gemini",
      "#!/bin/sh\nprintf '\\033[31mError in settings.json\\033[0m\\nfix it\\n' >&2; exit 1\n",
    );
    const { out } = await ill.palimpsest(["doctor", "gemini-cli"]);
    expect(bad(out)[0]).toMatch(/names no version.* it says: Error in settings\.json fix it$/);
  });

  test("not installed, and not as this version of ours would", async () => {
    const { home, palimpsest } = place("gemini", says("0.61.0"));
    expect(bad((await palimpsest(["doctor", "gemini-cli"])).out)[0]).toMatch(
      /run "palimpsest install gemini-cli"/,
    );
    mkdirSync(join(home, ".gemini"));
    const command = "/old/node /old/dist/cli/bin.js hook gemini-cli SessionStart";
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command }] }] };
    writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify({ hooks }));
    expect(bad((await palimpsest(["doctor", "gemini-cli"])).out)[0]).toMatch(
      /not as it should be.*settings\.json/,
    );
  });

  test("a store that cannot be written", async () => {
    const { home, palimpsest } = place("gemini", says("0.61.0"));
    await palimpsest(["install", "gemini-cli"]);
    writeFileSync(join(home, "file"), "");
    const { code, out } = await palimpsest(["doctor", "gemini-cli"], {
      PALIMPSEST_HOME: join(home, "file/store"),
    });
    expect([code, bad(out).length]).toEqual([1, 1]);
    expect(out).toMatch(
      /BAD {3}the store can be written: no, so nothing could be kept\. .*Name a folder you can write to/,
    );
  });

  test("switched off", async () => {
    const { palimpsest } = place("gemini", says("0.61.0"));
    await palimpsest(["install", "gemini-cli"]);
    const { code, out } = await palimpsest(["doctor", "gemini-cli"], { PALIMPSEST_OFF: "1" });
    expect([code, bad(out)]).toEqual([
      1,
      [expect.stringMatching(/PALIMPSEST_OFF=1 is set here.*: unset it/)],
    ]);
  });

  test("installed twice, for the user and for the project one is in", async () => {
    const { home, palimpsest } = place("gemini", says("0.61.0"));
    await palimpsest(["install", "gemini-cli"]);
    const project = join(home, "project");
    mkdirSync(project);
    const inside = (...words: string[]) =>
      spawnSync(process.execPath, [BIN, ...words], {
        cwd: project,
        env: {
          HOME: home,
          PATH: `${join(home, "bin")}${delimiter}/bin`,
          PALIMPSEST_HOME: join(home, "store"),
        },
        encoding: "utf8",
      }).stdout;
    inside("install", "gemini-cli", "--project");
    expect(bad(inside("doctor", "gemini-cli"))).toEqual([
      expect.stringMatching(
        /twice, .*project\/\.gemini\/settings\.json.*run "palimpsest uninstall gemini-cli --project"/,
      ),
    ]);
  });

  test("settings that are no JSON are an error of one line, not a stack", async () => {
    const { home, palimpsest } = place("gemini", says("0.61.0"));
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, ".gemini/settings.json"), "{ oops");
    const { code, err } = await palimpsest(["doctor", "gemini-cli"]);
    expect([code, err.split("\n").length]).toEqual([1, 2]);
  });
});

/** A host that does as Codex does, but for our hooks, and with the tools it is told to offer. */
const talker = (tools: string) => `#!/usr/bin/env node
const words = process.argv.slice(2);
if (words[0] === "--version") { console.log("codex-cli 0.169.0"); process.exit(0); }
const url = /base_url="([^"]+)"/.exec(words.join(" "))[1];
const shell = { type: "function", name: "exec_command", parameters: { type: "object", properties: {} } };
const ask = async (input) => (await fetch(url + "/responses", { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer x" },
  body: JSON.stringify({ model: "gpt-5.1-codex", input, tools: [shell, ...${tools}] }) })).json();
const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }];
const { output } = await ask(input);
const call = output.find(({ type }) => type === "function_call");
await ask([...input, ...output, { type: "function_call_output", call_id: call.call_id, output: "1 a line of the doctor" }]);
`;

describe("doctor, in a host that runs", () => {
  test("hooks that do not fire, and tools that are out of sight, with what to do", async () => {
    const { palimpsest } = place("codex", talker("[]"));
    await palimpsest(["install", "codex"]);
    const { code, out } = await palimpsest(["doctor", "codex"]);
    expect(code).toBe(1);
    expect(bad(out)).toEqual([
      expect.stringMatching(/the model sees read_ref: not, or only by name: .*deferred behind a search/),
      expect.stringMatching(/hooks fire: Codex runs no hook you have not trusted.*type \/hooks/),
      expect.stringMatching(/the tool answers: read_ref gave: nothing/),
      expect.stringMatching(/a stub is not written: it ran: nothing/),
    ]);
  });

  test("a tool that is only named is not in sight; with its schema it is", async () => {
    const named = '[{ type: "function", name: "read_ref", parameters: { type: "object", properties: {} } }]';
    const whole = named.replace("properties: {} }", 'properties: { max_tokens: { type: "integer" } } }');
    for (const [tools, isInSight] of [
      [named, false],
      [whole, true],
    ] as const) {
      const { palimpsest } = place("codex", talker(tools));
      await palimpsest(["install", "codex"]);
      const { out } = await palimpsest(["doctor", "codex"]);
      expect(out.includes("ok    the model sees read_ref")).toBe(isInSight);
    }
  });

  test("a host that asks no model: what it said last is told", async () => {
    const script =
      "#!/bin/sh\n[ \"$1\" = --version ] && echo 0.169.0 && exit\necho 'please sign in' >&2; exit 1\n";
    const { palimpsest } = place("codex", script);
    await palimpsest(["install", "codex"]);
    const { out } = await palimpsest(["doctor", "codex"]);
    expect(bad(out)).toEqual([
      "BAD   it was started for real: it asked no model, and said last: please sign in",
    ]);
  });
});
