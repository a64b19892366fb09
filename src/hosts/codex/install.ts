/**
 * Codex: hooks in `hooks.json`, the MCP server in `config.toml`. TOML is edited as text between two marks at the end of the
 * file, where a table may always stand; everything else keeps its bytes.
 */
import { join } from "node:path";
import { type HookEvent, withHooks, withoutHooks } from "../hook-settings.ts";
import type { Place, SettingsFile } from "../settings-file.ts";
import { jsonFile } from "../settings-json.ts";

const EVENTS: readonly HookEvent[] = [
  { event: "SessionStart", timeout: 60 },
  { event: "SessionEnd", timeout: 3 },
  { event: "PreToolUse", timeout: 10 },
  { event: "PostToolUse", timeout: 30 },
  { event: "PreCompact", timeout: 60 },
];

export function codexFiles(place: Place): readonly SettingsFile[] {
  const folder = place.env["CODEX_HOME"] ?? join(place.home, ".codex");
  return [
    jsonFile(
      join(folder, "hooks.json"),
      "hooks for five events (Codex asks you to trust them once: /hooks)",
      {
        put: (before) => withHooks(before, "codex", { events: EVENTS, place }),
        take: (before) => withoutHooks(before, "codex"),
      },
    ),
    {
      path: join(folder, "config.toml"),
      what: "the MCP server, for read_ref and list_refs",
      // Left where it stands when it is as it should be: Codex writes down behind it which hooks were trusted.
      put: (text) => (text?.includes(blockOf(place)) ? text : `${withoutBlock(text ?? "")}${blockOf(place)}`),
      take: (text) => withoutBlock(text) || undefined,
    },
  ];
}

const BEGIN = '# palimpsest: begin ("palimpsest uninstall codex" takes this out)';
const END = "# palimpsest: end";

function blockOf({ node, bin }: Place): string {
  // A JSON string is a TOML string.
  const lines = [
    BEGIN,
    "[mcp_servers.palimpsest]",
    `command = ${JSON.stringify(node)}`,
    `args = [${JSON.stringify(bin)}, "mcp"]`,
    `env_vars = ["PALIMPSEST_HOME"]`,
    END,
  ];
  return `\n${lines.join("\n")}\n`;
}

function withoutBlock(text: string): string {
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) return text;
  const before = text.slice(0, start).replace(/\n$/, "");
  return before + text.slice(end + END.length).replace(/^\n/, "");
}
