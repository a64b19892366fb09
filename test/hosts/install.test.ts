import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
      const files = filesOf[name](placeOf(home)).filter(({ path }) => /\.(json|toml)$/.test(path));
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

test("a file with comments is refused and left as it is", async () => {
  const home = fresh();
  const path = join(home, ".claude/settings.json");
  mkdirSync(dirname(path));
  writeFileSync(path, "{ // mine\n}\n");
  const { code, err } = await run(["install", "claude-code"], { env: { HOME: home } });
  expect([code, readFileSync(path, "utf8")]).toEqual([1, "{ // mine\n}\n"]);
  expect(err).toContain("Nothing was changed");
});
