import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hosts } from "../../src/hosts/host.ts";
import { filesOf } from "../../src/hosts/install.ts";
import { run, scratchFolder } from "../cli/run.ts";

const FOLDER = scratchFolder();
let count = 0;

function fresh(): string {
  count += 1;
  const home = join(FOLDER, `home-${count}`);
  mkdirSync(home);
  return home;
}

/** Something of the user's in every file, spelled as they would. */
const FOREIGN: Readonly<Record<string, string>> = {
  json: `${JSON.stringify({ theirs: { a: 1 }, hooks: { PostToolUse: [{ matcher: "X", hooks: [{ type: "command", command: "echo hi" }] }], AfterTool: [{ hooks: [] }] }, permissions: { allow: ["Bash(ls)"] }, mcpServers: { other: { command: "x" } }, mcp: { other: {} }, plugin: ["theirs"] }, null, 4)}\n`,
  toml: 'model = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x"\n',
};

const placeOf = (home: string) => ({
  scope: "user" as const,
  home,
  project: home,
  env: {},
  node: "node",
  bin: "bin.js",
});

for (const { name, scopes } of hosts)
  describe(name, () => {
    test("installing twice is installing once, and uninstalling leaves no trace", async () => {
      const env = { HOME: fresh() };
      const first = await run(["install", name, "--json"], { env });
      const paths: string[] = JSON.parse(first.out).changes.map(({ path }: { path: string }) => path);
      const texts = paths.map((path) => readFileSync(path, "utf8"));
      const again = await run(["install", name, "--json"], { env });
      expect(JSON.parse(again.out).changes.every(({ kind }: { kind: string }) => kind === "none")).toBe(true);
      expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(texts);
      await run(["uninstall", name], { env });
      expect(paths.filter((path) => existsSync(path))).toEqual([]);
    });

    test("what others wrote is there before, with us, and after us", async () => {
      const home = fresh();
      // A folder that is ours alone has nothing of others in it.
      const files = filesOf[name](placeOf(home)).filter(
        ({ path, folder }) => folder === undefined && /\.(json|toml)$/.test(path),
      );
      for (const { path } of files) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, FOREIGN[path.split(".").at(-1) ?? ""] ?? "");
      }
      await run(["install", name], { env: { HOME: home } });
      for (const { path } of files)
        expect(readFileSync(path, "utf8"), path).toMatch(/palimpsest|bin\.js|hosts\/opencode\/plugin\.js/);
      await run(["uninstall", name], { env: { HOME: home } });
      for (const { path } of files)
        expect(readFileSync(path, "utf8"), path).toBe(FOREIGN[path.split(".").at(-1) ?? ""]);
    });

    test("a dry run changes nothing and says what it would", async () => {
      const home = fresh();
      const { out } = await run(["install", name, "--dry-run"], { env: { HOME: home } });
      expect(out).toContain("create");
      for (const { path } of filesOf[name](placeOf(home))) expect(existsSync(path)).toBe(false);
    });

    test("a host that takes us for the user only says so", async () => {
      if (scopes.includes("project")) return;
      const { code, err } = await run(["install", name, "--project"], { env: { HOME: fresh() } });
      expect([code, err.includes("for the user only")]).toEqual([2, true]);
    });
  });

test("what Codex writes behind our block (which hooks were trusted) is no reason to move it", async () => {
  const home = fresh();
  const env = { HOME: home };
  await run(["install", "codex"], { env });
  const path = join(home, ".codex/config.toml");
  const text = `${readFileSync(path, "utf8")}\n[hooks.state."x"]\ntrusted_hash = "sha256:0"\n`;
  writeFileSync(path, text);
  const { out } = await run(["install", "codex", "--json"], { env });
  expect(JSON.parse(out).changes.map(({ kind }: { kind: string }) => kind)).toEqual(["none", "none"]);
  await run(["uninstall", "codex"], { env });
  expect(readFileSync(path, "utf8")).toBe('\n[hooks.state."x"]\ntrusted_hash = "sha256:0"\n');
});

describe("Claude Code, by its version", () => {
  /** A `claude` on the PATH that says only which version it is: installing asks for no more. */
  function envWith(version: string, home: string) {
    const folder = join(home, "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "claude"), `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
    return { HOME: home, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
  }
  const pluginIn = (home: string) => join(home, ".claude/skills/palimpsest");

  test("2.1.287 and later get the plugin and nothing in their settings", async () => {
    const home = fresh();
    await run(["install", "claude-code"], { env: envWith("2.1.287", home) });
    expect(readdirSync(join(home, ".claude"))).toEqual(["skills"]);
    expect(existsSync(join(home, ".claude.json"))).toBe(false);
    const hooks = JSON.parse(readFileSync(join(pluginIn(home), "hooks/hooks.json"), "utf8"));
    expect(hooks).toEqual({ modules: ["./register.ts"] });
    const command = readFileSync(join(pluginIn(home), "hooks/command.ts"), "utf8");
    expect(command).toContain(JSON.stringify(process.execPath));
    expect(command).toContain("dist/cli/bin.js");
  });

  test("older ones get hook processes and the MCP server", async () => {
    const home = fresh();
    await run(["install", "claude-code"], { env: envWith("2.1.286", home) });
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toContain(
      "hook claude-code PreCompact",
    );
    expect(readFileSync(join(home, ".claude.json"), "utf8")).toContain('"mcp"');
    expect(existsSync(pluginIn(home))).toBe(false);
  });

  test("a new version takes the old way out, the other way round too, and uninstalling leaves no folder", async () => {
    const home = fresh();
    const [older, newer] = [envWith("2.1.197", join(home, "a")), envWith("2.1.326", join(home, "b"))];
    const env = (of: { PATH: string }) => ({ HOME: home, PATH: of.PATH });
    await run(["install", "claude-code"], { env: env(older) });
    await run(["install", "claude-code"], { env: env(newer) });
    expect(existsSync(join(home, ".claude/settings.json"))).toBe(false);
    expect(existsSync(join(home, ".claude.json"))).toBe(false);
    await run(["install", "claude-code"], { env: env(older) });
    expect(existsSync(pluginIn(home))).toBe(false);
    await run(["install", "claude-code"], { env: env(newer) });
    await run(["uninstall", "claude-code"], { env: env(older) });
    expect(readdirSync(join(home, ".claude/skills"))).toEqual([]);
  });

  test("the plugin that is shipped asks for the same hook processes as installing does", async () => {
    const home = fresh();
    await run(["install", "claude-code"], { env: envWith("2.1.197", home) });
    const bare = (text: string) =>
      JSON.parse(text.replaceAll(/"command": "[^"]*?(?:palimpsest|bin\.js) hook/g, '"command": "us hook'))
        .hooks;
    const shipped = join(import.meta.dirname, "../../plugins/claude-code/hooks/hooks.json");
    expect(bare(readFileSync(shipped, "utf8"))).toEqual(
      bare(readFileSync(join(home, ".claude/settings.json"), "utf8")),
    );
  });
});
