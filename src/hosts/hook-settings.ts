/** The `hooks` object that Claude Code, Codex and Gemini CLI share: `{ Event: [{ matcher?, hooks: [{ type, command }] }] }`. */
import { isObject, type Json, type JsonObject } from "../transcript/json.ts";
import { having, listAt, objectAt, type Place } from "./settings-file.ts";

export interface HookEvent {
  readonly event: string;
  readonly matcher?: string;
  readonly timeout: number;
}

export function withHooks(
  settings: JsonObject,
  host: string,
  { events, place }: { readonly events: readonly HookEvent[]; readonly place: Place },
): JsonObject {
  const before = objectAt(settings, "hooks");
  const ours = events.map(({ event, matcher, timeout }): [string, Json] => {
    const command = hookCommand(host, event, place);
    const group: JsonObject = {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: "command", command, timeout }],
    };
    const there = listAt(before, event);
    // Left where it stands when it is as it should be: the order of hooks is the user's.
    const isThere = there.some((other) => JSON.stringify(other) === JSON.stringify(group));
    return [event, isThere ? [...there] : [...there.filter((other) => !isOurs(other, host)), group]];
  });
  return { ...settings, hooks: { ...before, ...Object.fromEntries(ours) } };
}

export function withoutHooks(settings: JsonObject, host: string): JsonObject {
  const hooks = Object.keys(objectAt(settings, "hooks")).reduce(
    (all, event) =>
      having(
        all,
        event,
        listAt(all, event).filter((group) => !isOurs(group, host)),
      ),
    objectAt(settings, "hooks"),
  );
  return having(settings, "hooks", hooks);
}

export function hookCommand(host: string, event: string, { node, bin }: Place): string {
  return `${quoted(node)} ${quoted(bin)} hook ${host} ${event}`;
}

/** For a shell: in double quotes, which every one of them takes, with what still means something there disarmed. */
function quoted(path: string): string {
  if (/^[\w./:-]+$/.test(path)) return path;
  return `"${process.platform === "win32" ? path : path.replaceAll(/[$`"\\]/g, "\\$&")}"`;
}

/** Ours, also where an earlier version at another path put it. */
function isOurs(group: Json, host: string): boolean {
  if (!isObject(group)) return false;
  return listAt(group, "hooks").some(
    (hook) =>
      isObject(hook) &&
      typeof hook["command"] === "string" &&
      new RegExp(`(?:bin\\.js"?|palimpsest) hook ${host} \\w+$`).test(hook["command"]),
  );
}
