/**
 * Claude Code: hooks and the permission to read back in `settings.json`, the MCP server in `~/.claude.json` (user) or
 * `.mcp.json` (project).
 */
import { join } from "node:path";
import type { JsonObject } from "../../transcript/json.ts";
import { type HookEvent, withHooks, withoutHooks } from "../hook-settings.ts";
import { having, jsonFile, listAt, objectAt, type Place, type SettingsFile } from "../settings-file.ts";

/** Only the tools whose results can be replaced, or that can write: a hook that has nothing to do should not be started. */
const EVENTS: readonly HookEvent[] = [
  { event: "SessionStart", timeout: 60 },
  { event: "SessionEnd", timeout: 10 },
  { event: "PreToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*", timeout: 10 },
  { event: "PostToolUse", matcher: "Bash|Read|mcp__.*", timeout: 30 },
  { event: "PreCompact", timeout: 60 },
];

const ALLOWED = ["mcp__palimpsest__read_ref", "mcp__palimpsest__list_refs"];

export function claudeCodeFiles(place: Place): readonly SettingsFile[] {
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
