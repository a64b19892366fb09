import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { run } from "./run.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/sessions/webhook-retries.jsonl");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("palimpsest inspect", () => {
  test("shows what fills the context, from the general to the particular", async () => {
    const { code, out, err } = await run(["inspect", EXAMPLE]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const titles = out.split("\n").filter((line) => /^[A-Z]/.test(line));
    expect(titles).toEqual([
      expect.stringContaining("Claude Code session"),
      "What fills it",
      "By tool",
      "By file",
      "By turn, the largest first",
      "Largest single parts",
      "Could go without loss",
      "Recorded usage",
      "Also in this file",
    ]);
  });

  test("--json has the fields others rely on, and they add up", async () => {
    const { code, out } = await run(["inspect", EXAMPLE, "--json"]);
    const json = JSON.parse(out);
    expect(code).toBe(0);
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining([
        "wire",
        "messages",
        "turns",
        "steps",
        "tokens",
        "basis",
        "byKind",
        "byTool",
        "byFile",
        "repeats",
        "largest",
      ]),
    );
    expect(json.wire).toBe("claude-code");
    expect(json.basis).toBe("usage");
    const sum = (rows: readonly { tokens: number }[]) => rows.reduce((total, row) => total + row.tokens, 0);
    expect(sum(json.byKind)).toBe(json.tokens);
    expect(sum(json.byTurn)).toBe(json.tokens);
    expect(JSON.stringify(json)).not.toContain("null");
  });

  test("colours are for terminals, and NO_COLOR is heard", async () => {
    const color = "\u001b[";
    expect((await run(["inspect", EXAMPLE])).out).not.toContain(color);
    expect((await run(["inspect", EXAMPLE], { isTerminal: true })).out).toContain(color);
    expect((await run(["inspect", EXAMPLE], { isTerminal: true, env: { NO_COLOR: "1" } })).out).not.toContain(
      color,
    );
    for (const [value, isColoured] of [
      ["1", true],
      ["0", false],
      ["", false],
    ] as const)
      expect(
        (await run(["inspect", EXAMPLE], { env: { FORCE_COLOR: value } })).out.includes(color),
        value,
      ).toBe(isColoured);
  });

  test("fits a narrow terminal as well as a wide one", async () => {
    const { out } = await run(["inspect", EXAMPLE], { columns: 72 });
    const charts = out.split("\n").filter((line) => line.includes("%  "));
    expect(charts.length).toBeGreaterThan(10);
  });

  test("--html writes one page that loads nothing and runs nothing, whatever the session holds", async () => {
    const hostile = JSON.stringify([
      { role: "user", content: "<script>alert(1)</script> <img src=x onerror=alert(2)>" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: '"><script>', input: { file_path: "</style><script>x" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "\u001b[31mred" }] },
    ]);
    const page = join(folder, "page.html");
    expect((await run(["inspect", file("hostile.json", hostile), "--html", page])).code).toBe(0);
    const html = readFileSync(page, "utf8");
    expect(html).not.toMatch(/<script|<img|<link|https?:\/\//i);
    expect(html).toContain("&lt;script&gt;");
  });

  test("what a tool printed does not act on the terminal", async () => {
    const body = JSON.stringify([{ role: "user", content: "\u001b]0;owned\u0007\u001b[2Jhello" }]);
    const { out } = await run(["inspect", file("ansi.json", body)]);
    expect(out).toContain("hello");
    expect(out).not.toContain("\u001b");
  });

  test("nor does what a model, a tool or a file is called", async () => {
    const name = (of: string) => `${of}\u001b]0;owned\u0007\u001b[2J`;
    const body = JSON.stringify({
      model: name("claude"),
      messages: [
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "1", name: "Read", input: { file_path: name("/a.ts") } },
            { type: "tool_use", id: "2", name: name("Bash"), input: { command: name("ls") } },
          ],
        },
        {
          role: "user",
          content: ["1", "2"].map((id) => ({ type: "tool_result", tool_use_id: id, content: name("red") })),
        },
      ],
    });
    const path = file(`${name("names")}.json`, body);
    const page = join(folder, "names.html");
    const shown = await run(["inspect", path, "--html", page]);
    expect(shown.out).toContain("Bash ]0;owned");
    const missing = await run(["inspect", join(folder, name("missing"))]);
    expect(missing.err).toContain("missing ]0;owned");
    for (const text of [shown.out, missing.err, readFileSync(page, "utf8")])
      expect(text).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("palimpsest inspect, on what is not a session", () => {
  test.each([
    ["an empty file", () => file("empty.jsonl", ""), "The file is empty."],
    ["what PowerShell writes", () => file("16.json", Buffer.from("\ufeff[{}]", "utf16le")), "This is UTF-16"],
    ["a file of something else", () => file("notes.md", "# Notes"), "This is not JSON"],
    ["JSON of something else", () => file("package.json", '{"name":"x"}'), "an object with name"],
    [
      "a document cut short",
      () =>
        file(
          "torn.json",
          `${JSON.stringify({ sessionId: "s", projectHash: "p", messages: [] }, null, 2).slice(0, 40)}`,
        ),
      "cut short, or damaged",
    ],
    ["nothing", () => join(folder, "missing.jsonl"), "there is no such file"],
    ["a folder", () => folder, "it is not a file"],
  ])("%s: one clear line, and exit code 1", async (_, path, message) => {
    const { code, out, err } = await run(["inspect", path()]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test("a wire that does not exist is named with those that do", async () => {
    const { code, err } = await run(["inspect", EXAMPLE, "--wire", "cursor"]);
    expect(code).toBe(2);
    expect(err).toContain('There is no wire "cursor". Known: claude-code, codex');
  });

  test("a wire that is forced onto another's file says so", async () => {
    const { code, err } = await run(["inspect", EXAMPLE, "--wire", "codex"]);
    expect(code).toBe(1);
    expect(err).toContain("No message could be read from this file as codex. It looks like claude-code");
  });

  test("a session in the store, by the beginning of its name: what is left in its context now", async () => {
    const env = { PALIMPSEST_HOME: join(folder, "home") };
    const { tokensAfter, messagesAfter } = JSON.parse(
      (await run(["compact", EXAMPLE, "--json"], { env })).out,
    );
    const [{ id }] = JSON.parse((await run(["sessions", "--json"], { env })).out);
    const { code, out } = await run(["inspect", id.slice(0, 8), "--json"], { env });
    const whole = JSON.parse((await run(["inspect", EXAMPLE, "--json"])).out);
    const { context, ...said } = JSON.parse(out);
    expect({ code, ...said }).toEqual({ code: 0, ...whole, context: undefined });
    expect(context).toMatchObject({ tokens: tokensAfter, messages: messagesAfter });
    expect((await run(["inspect", id], { env })).out).toContain(`· ${id}\n`);
  });

  test("a name that is neither a file nor in the store", async () => {
    const env = { PALIMPSEST_HOME: join(folder, "home") };
    const told = await run(["inspect", "nobody"], { env });
    expect([told.code, told.err]).toEqual([1, expect.stringContaining('no stored session "nobody"')]);
    const nowhere = await run(["inspect", "nobody"], { env: { PALIMPSEST_HOME: join(folder, "none") } });
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("there is no such file")]);
  });

  test("a half-written last line is read around, and said", async () => {
    const cut = readFileSync(EXAMPLE, "utf8").slice(0, -200);
    const { code, out } = await run(["inspect", file("cut.jsonl", cut)]);
    expect(code).toBe(0);
    expect(out).toMatch(/Not read\n {2}line \d+ .*half-written last line/);
  });

  test("a page that cannot be written is one clear line, and nothing is left behind", async () => {
    const locked = join(folder, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const { code, err } = await run(["inspect", EXAMPLE, "--html", join(locked, "no", "page.html")]);
    expect(code).toBe(1);
    expect(err).toContain("Cannot write");
  });
});

describe("the command line", () => {
  test("words it does not understand are a usage error", async () => {
    expect(await run(["inspekt"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no command "inspekt"'),
    });
    expect(await run(["inspect"])).toMatchObject({ code: 2, err: expect.stringContaining("Which session?") });
    expect(await run(["inspect", "a", "b"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("one too many"),
    });
    expect(await run(["inspect", "a", "--colour"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--colour"),
    });
  });

  test("help has examples, and costs nothing", async () => {
    expect((await run([])).out).toContain("inspect");
    expect((await run(["inspect", "--help"])).out).toContain("Examples");
    expect((await run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("the installed command reads standard input, and a reader that leaves is no error", () => {
    const bin = resolve(import.meta.dirname, "../../dist/cli/bin.js");
    const piped = spawnSync(process.execPath, [bin, "inspect", "-", "--json"], {
      input: readFileSync(EXAMPLE),
    });
    expect(JSON.parse(piped.stdout.toString()).wire).toBe("claude-code");
    const left = spawnSync("bash", [
      "-c",
      `set -o pipefail; "${process.execPath}" "${bin}" inspect "${EXAMPLE}" --json | head -c 10`,
    ]);
    expect(left.stderr.toString()).toBe("");
  });
});

describe.skipIf(realSessions.length === 0)(`every real session is inspected (${SKIPPED})`, () => {
  test.for(realSessions)("$name", async ({ path, wire }) => {
    const { code, out } = await run(["inspect", path, "--json"]);
    const json = JSON.parse(out);
    expect({ code, wire: json.wire }).toEqual({ code: 0, wire });
    expect(json.tokens).toBeGreaterThan(1000);
    expect(json.context.share).toBeGreaterThan(0);
    expect(json.context.share).toBeLessThan(1);
  });
});
