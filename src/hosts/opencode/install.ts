/** OpenCode: the plugin and the MCP server in `opencode.json`. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Json } from "../../transcript/json.ts";
import { having, jsonFile, listAt, objectAt, type Place, type SettingsFile } from "../settings-file.ts";

export function opencodeFiles({ scope, home, project, env, node, bin }: Place): readonly SettingsFile[] {
  const folder =
    scope === "project" ? project : join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
  const plugin = pathToFileURL(join(bin, "..", "..", "hosts", "opencode", "plugin.js")).href;
  const server = { type: "local", command: [node, bin, "mcp"], enabled: true };
  const others = (plugins: readonly Json[]) => plugins.filter((one) => !isOurs(one));
  return [
    jsonFile(join(folder, "opencode.json"), "the plugin, and the MCP server", {
      put(before) {
        const plugins = listAt(before, "plugin");
        return {
          ...before,
          plugin: plugins.includes(plugin) ? [...plugins] : [...others(plugins), plugin],
          mcp: { ...objectAt(before, "mcp"), palimpsest: server },
        };
      },
      take(before) {
        const { palimpsest: _, ...servers } = objectAt(before, "mcp");
        const left = having(before, "plugin", others(listAt(before, "plugin")));
        return having(left, "mcp", servers);
      },
    }),
  ];
}

/** Ours, also where an earlier version at another path put it. */
function isOurs(plugin: Json): boolean {
  return typeof plugin === "string" && plugin.endsWith("/hosts/opencode/plugin.js");
}
