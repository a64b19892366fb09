/**
 * Whether the session file is worth keeping again. Gemini CLI asks before every model call; keeping a large file each time
 * would cost more than it saves, so only when it has grown by a quarter since it was last kept.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder } from "../../home.ts";
import { makeFolder } from "../../store/folder.ts";
import type { Told } from "../hook-host.ts";

/** Below this nothing is compressed by default: half the window is far more. */
const LEAST_BYTES = 50_000;

export function isDue({ transcriptPath, sessionId }: Told): boolean {
  if (transcriptPath === undefined || !existsSync(transcriptPath)) return false;
  const bytes = statSync(transcriptPath).size;
  const note = join(homeFolder(process.env), "live", `${sessionId.replaceAll(/\W/g, "-").slice(0, 80)}.size`);
  const last = existsSync(note) ? Number(readFileSync(note, "utf8")) : 0;
  if (bytes < LEAST_BYTES || bytes < last * 1.25) return false;
  makeFolder(dirname(note), 0o700);
  writeFileSync(note, String(bytes), { mode: 0o600 });
  return true;
}
