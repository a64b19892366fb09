/** pi: one file in its extensions folder that points to ours. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Place, SettingsFile } from "../settings-file.ts";

export function piFiles({ scope, home, project, bin, env }: Place): readonly SettingsFile[] {
  const folder =
    scope === "project" ? join(project, ".pi") : (env["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent"));
  const extension = pathToFileURL(join(bin, "..", "..", "hosts", "pi", "extension.js")).href;
  const text = `// palimpsest: "palimpsest uninstall pi" takes this out.\nexport { default } from ${JSON.stringify(extension)};\n`;
  return [
    {
      path: join(folder, "extensions", "palimpsest.js"),
      what: "the extension",
      put: () => text,
      take: () => undefined,
    },
  ];
}
