/** Making folders. Imported by hooks, so it imports next to nothing. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * With all folders above it; one that is there keeps its permissions. Node's own recursive mkdir never returns where a file
 * system says "no such file" to a folder whose parent is there, as /proc does (seen in Node 20), so each is made by itself.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was first.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
