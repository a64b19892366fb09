/**
 * Where a path leads, links followed, and whether that is inside. A name that does not exist yet is judged by the nearest
 * folder that does; a link that leads nowhere is refused, because writing would follow it.
 *
 * This holds for the file tools. A command can write wherever its user can: that is what the permission prompt is for.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { BadCall } from "./tool.ts";

/** The real path to write to; refused where it lies outside. */
export async function writablePath(workspace: string, path: string): Promise<string> {
  const home = await realpath(workspace);
  const real = await whereItLeads(resolve(home, path));
  if (real !== undefined && isInside(home, real)) return real;
  throw new BadCall(`${path} is outside the workspace (${workspace}); files are written inside it only.`);
}

/** The path to read, and whether it lies in one of these folders. */
export async function readablePath(
  folders: readonly [workspace: string, ...others: string[]],
  path: string,
): Promise<{ readonly path: string; readonly isInside: boolean }> {
  const real = (await whereItLeads(resolve(folders[0], path))) ?? resolve(folders[0], path);
  const homes = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return { path: real, isInside: homes.some((home) => isInside(home, real)) };
}

/** Undefined where a link leads nowhere. */
async function whereItLeads(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    const isLink = await lstat(path).then(
      (facts) => facts.isSymbolicLink(),
      () => false,
    );
    if (isLink || dirname(path) === path) return undefined;
    const folder = await whereItLeads(dirname(path));
    return folder === undefined ? undefined : join(folder, basename(path));
  }
}

function isInside(home: string, path: string): boolean {
  const way = relative(home, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
