/** One field of a policy, by its path: `trigger.at.0.share`. What variables and options set, and what notes are about. */
import { isList, isObject, type Json } from "../transcript/json.ts";

/** The same policy with another value there; `null` takes the field away. */
export function withField(json: Json, path: string, value: Json): Json {
  return withFieldAt(json, path.split("."), value);
}

function withFieldAt(json: Json, [key = "", ...rest]: readonly string[], value: Json): Json {
  const inner = (under: Json | undefined): Json =>
    rest.length === 0 ? value : withFieldAt(under ?? {}, rest, value);
  if (isList(json)) return json.map((item, index) => (index === Number(key) ? inner(item) : item));
  if (!isObject(json)) return json;
  if (rest.length > 0 || value !== null) return { ...json, [key]: inner(json[key]) };
  const { [key]: _, ...others } = json;
  return others;
}

export function fieldAt(json: Json | undefined, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((under, key) => {
    if (isList(under)) return under[Number(key)];
    return isObject(under) ? under[key] : undefined;
  }, json);
}
