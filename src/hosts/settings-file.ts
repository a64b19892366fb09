/**
 * One file of a host that we put something into and take it out of again. Both are functions of its text: `--dry-run` shows
 * what they give, putting twice changes nothing, and what others wrote stays.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { makeFolder } from "../store/folder.ts";
import { defined, isList, isObject, type Json, type JsonObject } from "../transcript/json.ts";

export interface SettingsFile {
  readonly path: string;
  /** What we put there, for people. */
  readonly what: string;
  /** Undefined where the file should not be there: it is of a kind of ours that this version of the host has no use for. */
  put(text: string | undefined): string | undefined;
  /** Undefined where nothing is left: the file was ours alone. */
  take(text: string): string | undefined;
  /** A folder that is ours alone, and goes with its last file. */
  readonly folder?: string;
}

/** Where we are put: for the user everywhere, or for one project. */
export interface Place {
  readonly scope: "user" | "project";
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How a host starts us: node and our own file, both absolute. */
  readonly node: string;
  readonly bin: string;
  /** Of the host, where it could be asked. */
  readonly version?: string;
}

export interface Change {
  readonly path: string;
  readonly what: string;
  readonly kind: "create" | "edit" | "remove" | "none";
  readonly after: string | undefined;
  readonly folder?: string;
}

export function putting(file: SettingsFile): Change {
  const before = textAt(file.path);
  return changeOf(file, before, file.put(before));
}

export function taking(file: SettingsFile): Change {
  const before = textAt(file.path);
  return changeOf(file, before, before === undefined ? undefined : file.take(before));
}

function changeOf(
  { path, what, folder }: SettingsFile,
  before: string | undefined,
  after: string | undefined,
): Change {
  const changed = before === undefined ? "create" : after === undefined ? "remove" : "edit";
  return { path, what, kind: after === before ? "none" : changed, after, ...defined({ folder }) };
}

/** Before anything is written: one file that cannot be is a reason to leave them all. */
export function refuseUnwritable(changes: readonly Change[]): void {
  for (const { path, kind } of changes) {
    const target = targetOf(path);
    // Renaming over it would work, and overrule whoever made it so.
    if (kind === "none" || !existsSync(target) || (statSync(target).mode & 0o222) !== 0) continue;
    throw new PalimpsestError(
      "unwritable",
      `${path} is read-only. Nothing was changed: make it writable (chmod u+w), or put in what --dry-run shows by hand.`,
    );
  }
}

/** Written beside and renamed: a host that reads meanwhile sees the old or the new, never half of one. */
export function carryOut({ path, kind, after, folder }: Change): void {
  if (kind === "none") return;
  try {
    if (after === undefined && targetOf(path) === path) remove(path, folder);
    else replace(targetOf(path), after ?? "");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("unwritable", `${path} could not be written (${why}).`);
  }
}

/** Where a link leads, also one that leads nowhere yet: a settings file kept elsewhere stays a link to it. */
function targetOf(path: string): string {
  try {
    return targetOf(resolve(dirname(path), readlinkSync(path)));
  } catch {
    return path;
  }
}

function remove(path: string, folder: string | undefined): void {
  rmSync(path, { force: true });
  if (folder !== undefined) removeEmpty(dirname(path), folder);
}

function replace(path: string, text: string): void {
  makeFolder(dirname(path));
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600;
  const beside = `${path}.palimpsest-${process.pid}`;
  writeFileSync(beside, text, { mode });
  renameSync(beside, path);
}

function removeEmpty(path: string, upTo: string): void {
  if (!path.startsWith(upTo) || !existsSync(path) || readdirSync(path).length > 0) return;
  rmdirSync(path);
  removeEmpty(dirname(path), upTo);
}

export function textAt(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** `settings[key]`, where it is an object. */
export function objectAt(settings: JsonObject, key: string): JsonObject {
  const value = settings[key];
  return isObject(value) ? value : {};
}

export function listAt(settings: JsonObject, key: string): readonly Json[] {
  const value = settings[key];
  return isList(value) ? value : [];
}

/** With the key set; without it where nothing is left. */
export function having(settings: JsonObject, key: string, value: Json): JsonObject {
  const isEmpty = isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
  if (!isEmpty) return { ...settings, [key]: value };
  const { [key]: _, ...rest } = settings;
  return rest;
}
