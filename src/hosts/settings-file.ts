/**
 * One file of a host that we put something into and take it out of again. Both are functions of its text: `--dry-run` shows
 * what they give, putting twice changes nothing, and what others wrote stays.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { makeFolder } from "../store/folder.ts";
import { defined, isList, isObject, type Json, type JsonObject, parseJson } from "../transcript/json.ts";

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

/** Written beside and renamed: a host that reads meanwhile sees the old or the new, never half of one. */
export function carryOut({ path, kind, after, folder }: Change): void {
  if (kind === "none") return;
  if (after === undefined) {
    rmSync(path, { force: true });
    if (folder !== undefined) removeEmpty(dirname(path), folder);
    return;
  }
  makeFolder(dirname(path));
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600;
  const beside = `${path}.palimpsest-${process.pid}`;
  writeFileSync(beside, after, { mode });
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

/** A JSON file edited as data, in the indentation it has. */
export function jsonFile(
  path: string,
  what: string,
  edits: { put(settings: JsonObject): JsonObject; take(settings: JsonObject): JsonObject },
): SettingsFile {
  return {
    path,
    what,
    put(text) {
      const settings = settingsIn(text, path);
      return respelled(text, settings, edits.put(settings));
    },
    take(text) {
      const settings = settingsIn(text, path);
      const left = edits.take(settings);
      return Object.keys(left).length === 0 ? undefined : respelled(text, settings, left);
    },
  };
}

function settingsIn(text: string | undefined, path: string): JsonObject {
  if (text === undefined || text.trim() === "") return {};
  const settings = parseJson(text);
  if (isObject(settings)) return settings;
  throw new PalimpsestError(
    "unreadable",
    `${path} is not plain JSON (comments, perhaps), and rewriting it would lose what we cannot read. Nothing was changed.`,
  );
}

function respelled(text: string | undefined, before: JsonObject, after: JsonObject): string {
  if (text !== undefined && JSON.stringify(before) === JSON.stringify(after)) return text;
  const indent = /^([ \t]+)"/m.exec(text ?? "")?.[1] ?? "  ";
  return `${JSON.stringify(after, null, indent)}\n`;
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
