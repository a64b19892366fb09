/** Gemini CLI: hooks and the MCP server in one `settings.json`. Its timeouts are milliseconds. */
import { join } from "node:path";
import { type HookEvent, withHooks, withoutHooks } from "../hook-settings.ts";
import { having, objectAt, type Place, type SettingsFile } from "../settings-file.ts";
import { jsonFile } from "../settings-json.ts";

const EVENTS: readonly HookEvent[] = [
  { event: "SessionStart", timeout: 30_000 },
  { event: "SessionEnd", timeout: 10_000 },
  { event: "BeforeTool", timeout: 10_000 },
  { event: "AfterTool", timeout: 30_000 },
  { event: "PreCompress", timeout: 60_000 },
  { event: "BeforeModel", timeout: 30_000 },
];

export function geminiCliFiles(place: Place): readonly SettingsFile[] {
  const folder = place.scope === "project" ? place.project : (place.env["GEMINI_CLI_HOME"] ?? place.home);
  const server = { command: place.node, args: [place.bin, "mcp"], trust: true };
  return [
    jsonFile(join(folder, ".gemini", "settings.json"), "hooks for six events, and the MCP server", {
      put(before) {
        const hooked = withHooks(before, "gemini-cli", { events: EVENTS, place });
        return { ...hooked, mcpServers: { ...objectAt(hooked, "mcpServers"), palimpsest: server } };
      },
      take(before) {
        const { palimpsest: _, ...others } = objectAt(before, "mcpServers");
        return having(withoutHooks(before, "gemini-cli"), "mcpServers", others);
      },
    }),
  ];
}
