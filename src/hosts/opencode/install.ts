/** OpenCode: one entry in `opencode.json`, the plugin; it brings the tools along. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isList, type Json } from "../../transcript/json.ts";
import { having, listAt, objectAt, type Place, type SettingsFile } from "../settings-file.ts";
import { jsonFile } from "../settings-json.ts";

export function opencodeFiles({ scope, home, project, env, node, bin }: Place): readonly SettingsFile[] {
  const folder =
    scope === "project" ? project : join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
  // OpenCode runs on Bun: where Node is, it must be told.
  const plugin = [pathToFileURL(join(bin, "..", "..", "hosts", "opencode", "plugin.js")).href, { node }];
  const isThere = (one: Json) => JSON.stringify(one) === JSON.stringify(plugin);
  const others = (plugins: readonly Json[]) => plugins.filter((one) => !isOurs(one));
  return [
    jsonFile(settingsIn(folder), "the plugin, with the tools", {
      put(before) {
        const plugins = listAt(before, "plugin");
        return { ...before, plugin: plugins.some(isThere) ? [...plugins] : [...others(plugins), plugin] };
      },
      take(before) {
        // Before the plugin had tools of its own, an MCP server was put there too.
        const { palimpsest: _, ...servers } = objectAt(before, "mcp");
        const left = having(before, "plugin", others(listAt(before, "plugin")));
        return having(left, "mcp", servers);
      },
    }),
  ];
}

/** With comments, where that is the one the user has: OpenCode reads both. */
function settingsIn(folder: string): string {
  const [plain, commented] = [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
  return existsSync(commented) && !existsSync(plain) ? commented : plain;
}

/** Ours, also where an earlier version at another path put it. */
function isOurs(plugin: Json): boolean {
  const spec = isList(plugin) ? plugin[0] : plugin;
  return typeof spec === "string" && spec.endsWith("/hosts/opencode/plugin.js");
}
