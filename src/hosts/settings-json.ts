/**
 * A JSON settings file edited in place: only what changes is spelled anew, so comments, trailing commas and the user's own way
 * of breaking lines stay. What cannot be read is not written.
 */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { PalimpsestError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../transcript/json.ts";
import { editJson } from "./edit-json.ts";
import type { SettingsFile } from "./settings-file.ts";

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
      const isOursAlone = Object.keys(left).length === 0 && Object.keys(settings).length > 0;
      return isOursAlone && !hasComments(text) ? undefined : respelled(text, settings, left);
    },
  };
}

/** Comments and trailing commas are read where a host reads them; anything else that is no JSON is refused. */
export function settingsIn(text: string | undefined, path: string): JsonObject {
  if (text === undefined || text.trim() === "") return {};
  const errors: ParseError[] = [];
  const settings = parse(bare(text), errors, { allowTrailingComma: true }) as Json | undefined;
  const [first] = errors;
  if (first === undefined && isObject(settings)) return settings;
  const line = text.slice(0, first?.offset).split("\n").length;
  const why = first === undefined ? "no object" : `line ${line}: ${printParseErrorCode(first.error)}`;
  throw new PalimpsestError(
    "unreadable",
    `${path} is no settings file we can read (${why}). Nothing was changed: mend it, and try again.`,
  );
}

/** As editors on Windows begin a file. */
const MARK = "\uFEFF";

function bare(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

function hasComments(text: string): boolean {
  const plain = bare(text).trim();
  try {
    JSON.parse(plain);
    return false;
  } catch {
    return true;
  }
}

function respelled(text: string | undefined, before: JsonObject, after: JsonObject): string {
  if (text === undefined || bare(text).trim() === "") return `${JSON.stringify(after, null, 2)}\n`;
  const mark = text.startsWith(MARK) ? MARK : "";
  return `${mark}${editJson(bare(text), before, after)}`;
}
