/** Session files by a pattern: `*` within a folder, `**` across folders, anything else as it is written. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { openFile, PalimpsestError, readSession, type Session } from "palimpsest";

export interface CaseFile {
  /** As it is reported: the folder it is in and its name. */
  readonly name: string;
  readonly path: string;
}

export interface Recorded extends CaseFile {
  readonly session: Session;
  readonly repository: string;
}

export function filesMatching(pattern: string): readonly CaseFile[] {
  const paths = [...new Set(pattern.split(",").flatMap(matching))].sort();
  return paths.map((path) => ({ path, name: `${basename(dirname(path))}/${basename(path)}` }));
}

function matching(pattern: string): readonly string[] {
  const plain = pattern.trim();
  if (existsSync(plain) && statSync(plain).isFile()) return [resolve(plain)];
  const isFolder = existsSync(plain) && statSync(plain).isDirectory();
  const glob = isFolder ? join(plain, "**") : plain;
  const root = resolve(glob.split(/[*?[]/)[0]?.replace(/[^/]*$/, "") || ".");
  if (!existsSync(root)) return [];
  const wanted = regexOf(resolve(glob));
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(jsonl?|traj)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => wanted.test(path));
}

function regexOf(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/\*\*\/?/g, "\u0000")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("\u0000", ".*");
  return new RegExp(`^${source}$`);
}

/** Undefined where the file is no session: a folder of sessions may hold other things. */
export function readCase(file: CaseFile): Recorded | undefined {
  try {
    const session = readSession(openFile(file.path));
    return { ...file, session, repository: repositoryOf(file, session) };
  } catch (error) {
    if (error instanceof PalimpsestError) return undefined;
    throw error;
  }
}

/** `owner__name--…` where a collection names its files so; else the folder the agent worked in. */
function repositoryOf({ path }: CaseFile, { about }: Session): string {
  const named = /^(.+?)__(.+?)--/.exec(basename(path));
  if (named) return `${named[1]}/${named[2]}`;
  return about.cwd === undefined ? basename(dirname(path)) : basename(about.cwd);
}
