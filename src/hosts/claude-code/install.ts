/**
 * Claude Code, in one of two ways. Where the version has function hooks: our plugin, as files in its `skills` folder, from
 * which it loads plugins by itself. Before that: hooks and the permission to read back in `settings.json`, the MCP server in
 * `~/.claude.json` (user) or `.mcp.json` (project). Each way takes the other out: both would do everything twice.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../transcript/json.ts";
import { type HookEvent, withHooks, withoutHooks } from "../hook-settings.ts";
import { compareVersions } from "../host-version.ts";
import { having, listAt, objectAt, type Place, type SettingsFile } from "../settings-file.ts";
import { jsonFile } from "../settings-json.ts";

/** Only the tools whose results can be replaced, or that can write: a hook that has nothing to do should not be started. */
const EVENTS: readonly HookEvent[] = [
  { event: "SessionStart", timeout: 60 },
  { event: "SessionEnd", timeout: 10 },
  { event: "PreToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*", timeout: 10 },
  { event: "PostToolUse", matcher: "Bash|Read|mcp__.*", timeout: 30 },
  { event: "PreCompact", timeout: 60 },
];

const ALLOWED = ["mcp__palimpsest__read_ref", "mcp__palimpsest__list_refs"];

/** Function hooks are there from here on. */
export const FUNCTION_HOOKS_SINCE = "2.1.287";

export function hasFunctionHooks(version: string | undefined): boolean {
  return version !== undefined && compareVersions(version, FUNCTION_HOOKS_SINCE) >= 0;
}

export function claudeCodeFiles(place: Place): readonly SettingsFile[] {
  const isInside = hasFunctionHooks(place.version);
  return [
    ...pluginFiles(place).map((file) => (isInside ? file : { ...file, put: () => undefined })),
    ...settingsFiles(place).map((file) =>
      isInside
        ? { ...file, put: (text: string | undefined) => (text === undefined ? undefined : file.take(text)) }
        : file,
    ),
  ];
}

/** Of the plugin as it is shipped; `command.ts` says how to start us, and is written for this machine. */
const SHIPPED = [".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/register.ts", "hooks/engine.ts"];

export function pluginFolder({ scope, project, home, env }: Omit<Place, "node" | "bin">): string {
  const folder =
    scope === "project" ? join(project, ".claude") : (env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"));
  return join(folder, "skills", "palimpsest");
}

function pluginFiles(place: Place): readonly SettingsFile[] {
  const folder = pluginFolder(place);
  const shipped = join(place.bin, "..", "..", "..", "plugins", "claude-code");
  const command = `/** Written by "palimpsest install claude-code". */
export const COMMAND: readonly string[] = ${JSON.stringify([place.node, place.bin])};
`;
  const ours = (path: string, put: () => string): SettingsFile => ({
    path: join(folder, path),
    what: "the plugin: function hooks, and our tools",
    folder,
    put,
    take: () => undefined,
  });
  return [
    ...SHIPPED.map((path) => ours(path, () => shippedText(path, readFileSync(join(shipped, path), "utf8")))),
    ours("hooks/command.ts", () => command),
  ];
}

/** Shipped for any version; here the version is known, and has no use for hook processes. */
function shippedText(path: string, text: string): string {
  return path === "hooks/hooks.json" ? `${JSON.stringify({ modules: ["./register.ts"] }, null, 2)}\n` : text;
}

function settingsFiles(place: Place): readonly SettingsFile[] {
  const isProject = place.scope === "project";
  const folder = place.env["CLAUDE_CONFIG_DIR"];
  const settings = isProject
    ? join(place.project, ".claude", "settings.json")
    : join(folder ?? join(place.home, ".claude"), "settings.json");
  const servers = isProject ? join(place.project, ".mcp.json") : join(folder ?? place.home, ".claude.json");
  return [
    jsonFile(settings, "hooks for five events, and leave to read originals back", {
      put: (before) => allowing(withHooks(before, "claude-code", { events: EVENTS, place }), isProject),
      take: (before) => disallowing(withoutHooks(before, "claude-code")),
    }),
    jsonFile(servers, "the MCP server, for read_ref and list_refs", {
      put: (before) =>
        having(before, "mcpServers", { ...objectAt(before, "mcpServers"), palimpsest: serverOf(place) }),
      take: (before) => {
        const { palimpsest: _, ...others } = objectAt(before, "mcpServers");
        return having(before, "mcpServers", others);
      },
    }),
  ];
}

function serverOf({ node, bin }: Place): JsonObject {
  return { type: "stdio", command: node, args: [bin, "mcp"], env: {} };
}

/** A project's servers are asked about once; a headless run would go without. */
function allowing(settings: JsonObject, isProject: boolean): JsonObject {
  const permissions = objectAt(settings, "permissions");
  const allow = listAt(permissions, "allow");
  const missing = ALLOWED.filter((rule) => !allow.includes(rule));
  const allowed =
    missing.length === 0
      ? settings
      : { ...settings, permissions: { ...permissions, allow: [...allow, ...missing] } };
  const enabled = listAt(settings, "enabledMcpjsonServers");
  return !isProject || enabled.includes("palimpsest")
    ? allowed
    : { ...allowed, enabledMcpjsonServers: [...enabled, "palimpsest"] };
}

function disallowing(settings: JsonObject): JsonObject {
  const permissions = objectAt(settings, "permissions");
  const allow = listAt(permissions, "allow").filter((rule) => !ALLOWED.some((ours) => ours === rule));
  const enabled = listAt(settings, "enabledMcpjsonServers").filter((name) => name !== "palimpsest");
  const left = having(settings, "permissions", having(permissions, "allow", [...allow]));
  return having(left, "enabledMcpjsonServers", [...enabled]);
}
