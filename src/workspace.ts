/**
 * The files an agent works on, as they are now: to put them back after a fold, and to say which have changed since they
 * were read. Nothing outside the workspace is looked at, whatever a conversation or a link says.
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

export type FileState =
  | { readonly kind: "file"; readonly changedAt: number }
  | { readonly kind: "missing" }
  /** Not in the workspace, or not a file: nothing is said about it. */
  | { readonly kind: "outside" };

export interface Workspace {
  readonly root: string;
  stateOf(path: string): Promise<FileState>;
  /** Undefined where it is not a readable text file of the workspace. */
  read(path: string): Promise<string | undefined>;
}

/** More than anyone restores; a file can be a database. */
const MAX_BYTES = 4_000_000;

export function openWorkspace(root: string): Workspace {
  return {
    root,
    async stateOf(path) {
      const found = await locate(root, path);
      if (found.kind !== "inside") return { kind: found.kind };
      const facts = await stat(found.path);
      return facts.isFile() ? { kind: "file", changedAt: facts.mtimeMs } : { kind: "outside" };
    },
    async read(path) {
      const found = await locate(root, path);
      if (found.kind !== "inside") return undefined;
      const facts = await stat(found.path);
      if (!facts.isFile() || facts.size > MAX_BYTES) return undefined;
      const text = await readFile(found.path, "utf8");
      return text.includes("\0") ? undefined : text;
    },
  };
}

type Located = { readonly kind: "inside"; readonly path: string } | { readonly kind: "missing" | "outside" };

/** Links are followed before it is asked where the path leads. */
async function locate(root: string, path: string): Promise<Located> {
  try {
    const home = await realpath(root);
    const lexical = isAbsolute(path) ? path : join(home, path);
    if (!isInside(home, lexical) && !isInside(root, lexical)) return { kind: "outside" };
    const real = await realpath(lexical);
    return isInside(home, real) ? { kind: "inside", path: real } : { kind: "outside" };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { kind: isMissing ? "missing" : "outside" };
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
