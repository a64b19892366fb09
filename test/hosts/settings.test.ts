/** What is in a user's settings file besides us, and what becomes of it. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookCommand } from "../../src/hosts/hook-settings.ts";
import { parseJson } from "../../src/transcript/json.ts";
import { run, scratchFolder } from "../cli/run.ts";

const FOLDER = scratchFolder();

function place(path: string, text?: string) {
  const home = mkdtempSync(join(FOLDER, "home-"));
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  if (text !== undefined) writeFileSync(file, text);
  const read = () => readFileSync(file, "utf8");
  const palimpsest = (...words: string[]) => run(words, { env: { HOME: home } });
  return { home, file, read, palimpsest };
}

const OPENCODE = ".config/opencode/opencode.jsonc";
const GEMINI = ".gemini/settings.json";
const COMMENTED = `{
\t// which model
\t"model": "x/y", /* not z */
\t"plugin": ["a-plugin", /* and */ "b-plugin"],
\t"hooks": {
\t\t"AfterTool": [ { "hooks": [ { "type": "command", "command": "mine" } ] }, ], // one line
\t},
}
`;

describe("what the user wrote", () => {
  test.each([
    ["opencode", OPENCODE],
    ["gemini-cli", GEMINI],
  ])("%s: comments, trailing commas, tabs and line breaks stay as they are", async (host, path) => {
    const { read, palimpsest } = place(path, COMMENTED);
    expect((await palimpsest("install", host)).code).toBe(0);
    for (const line of [
      "\t// which model",
      '"x/y", /* not z */',
      '"a-plugin", /* and */ "b-plugin"',
      "// one line",
    ])
      expect(read()).toContain(line);
    expect(read()).toMatch(/palimpsest|hosts\/opencode\/plugin\.js/);
    const once = read();
    await palimpsest("install", host);
    expect(read()).toBe(once);
    await palimpsest("uninstall", host);
    expect(read()).toBe(COMMENTED);
  });

  test("inline lists, Windows line ends and a byte order mark stay", async () => {
    const text = '\uFEFF{\r\n    "a": [1, 2, 3],\r\n    "b": { "c": true }\r\n}\r\n';
    const { read, palimpsest } = place(GEMINI, text);
    await palimpsest("install", "gemini-cli");
    expect(read()).toMatch(
      /^\uFEFF\{\r\n {4}"a": \[1, 2, 3\],\r\n {4}"b": \{ "c": true \},\r\n {4}"hooks": \{\r\n/,
    );
    await palimpsest("uninstall", "gemini-cli");
    expect(read()).toBe(text);
  });

  test("what is no JSON is left alone, and the line is named", async () => {
    for (const text of ['{\n  "a": 1,\n  "b": oops\n}\n', "[1]\n", '{ "a": 1\n']) {
      const { read, palimpsest } = place(GEMINI, text);
      for (const verb of ["install", "uninstall"]) {
        const { code, err } = await palimpsest(verb, "gemini-cli");
        expect([code, err.split("\n").length, read()]).toEqual([1, 2, text]);
        expect(err).toContain("Nothing was changed");
      }
    }
    const { palimpsest } = place(GEMINI, '{\n  "a": 1,\n  "b": oops\n}\n');
    expect((await palimpsest("install", "gemini-cli")).err).toContain("line 3");
  });

  test("one of two files that cannot be read is a reason to leave the other", async () => {
    const { home, palimpsest } = place(".codex/hooks.json", "{ oops\n");
    expect((await palimpsest("install", "codex")).code).toBe(1);
    expect(existsSync(join(home, ".codex/config.toml"))).toBe(false);
  });

  test("an empty file is one to write into", async () => {
    const { read, palimpsest } = place(GEMINI, "\n");
    expect((await palimpsest("install", "gemini-cli")).code).toBe(0);
    expect(parseJson(read())).toHaveProperty("hooks");
  });

  test("TOML keeps its bytes, whatever it says", async () => {
    const text = "# mine\r\nmodel=\"x\"   # spaced\n\n\n[mcp_servers.other]\ncommand = 'x'";
    const { read, palimpsest } = place(".codex/config.toml", text);
    await palimpsest("install", "codex");
    expect(read().startsWith(text)).toBe(true);
    await palimpsest("uninstall", "codex");
    expect(read()).toBe(text);
  });
});

describe("where the file is", () => {
  test("a read-only file is not overruled: neither it nor the files beside it change", async () => {
    const { home, file, read, palimpsest } = place(".codex/config.toml", "# mine\n");
    chmodSync(file, 0o444);
    const { code, err } = await palimpsest("install", "codex");
    expect([code, read(), existsSync(join(home, ".codex/hooks.json"))]).toEqual([1, "# mine\n", false]);
    expect(err).toMatch(/config\.toml is read-only\. Nothing was changed: make it writable/);
    expect((await palimpsest("install", "codex", "--dry-run")).code).toBe(0);
  });

  test("a link stays a link: what it leads to is written, and emptied, never removed", async () => {
    const { home, file, palimpsest } = place(GEMINI);
    const kept = join(home, "dotfiles.json");
    writeFileSync(kept, "{}\n");
    symlinkSync("../dotfiles.json", file);
    await palimpsest("install", "gemini-cli");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(kept, "utf8")).toContain("hook gemini-cli");
    await palimpsest("uninstall", "gemini-cli");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(kept, "utf8")).not.toContain("palimpsest");
  });

  test("a link that leads nowhere yet leads to what we write", async () => {
    const { home, file, palimpsest } = place(GEMINI);
    symlinkSync(join(home, "later.json"), file);
    expect((await palimpsest("install", "gemini-cli")).code).toBe(0);
    expect(readFileSync(join(home, "later.json"), "utf8")).toContain("hook gemini-cli");
  });

  test("permissions of the file stay", async () => {
    const { file, palimpsest } = place(GEMINI, "{}\n");
    chmodSync(file, 0o640);
    await palimpsest("install", "gemini-cli");
    expect(lstatSync(file).mode & 0o777).toBe(0o640);
  });

  test("a folder that cannot be written is said in one line", async () => {
    const { home, palimpsest } = place("x");
    writeFileSync(join(home, ".gemini"), "a file, not a folder");
    const { code, err } = await palimpsest("install", "gemini-cli");
    expect(code).toBe(1);
    expect(err).toMatch(/^.*settings\.json could not be written \(.*\)\.\n$/);
  });

  test("a path with spaces, and worse, is one word to a shell, and known again", () => {
    const at = (bin: string) =>
      hookCommand("codex", "PreToolUse", {
        ...{ scope: "user", home: "", project: "", env: {}, node: "/usr/bin/node" },
        bin,
      });
    expect(at("/my tools/dist/cli/bin.js")).toBe(
      '/usr/bin/node "/my tools/dist/cli/bin.js" hook codex PreToolUse',
    );
    expect(at('/a"$b`/bin.js')).toContain('"/a\\"\\$b\\`/bin.js"');
  });
});
