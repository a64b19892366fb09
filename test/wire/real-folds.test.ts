/**
 * Every real session with its first half folded: written in its own wire, read back as it was, twice over, and still
 * something every provider takes.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { check } from "../../src/transcript/check.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { bodyWireNamed, fileWireNamed } from "../../src/wire/wires.ts";
import { fold, neutral, PAGES } from "../contracts/wire.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";

const PROVIDERS = [
  ["anthropic-messages", "anthropic"],
  ["openai-chat", "openai-chat"],
  ["openai-responses", "openai-responses"],
  ["gemini", "gemini"],
] as const;
const APPENDING = ["claude-code", "codex", "pi"];

describe.skipIf(realSessions.length === 0)(`real sessions, folded (${SKIPPED})`, () => {
  test.for(realSessions)("$name is written and read back", { timeout: 60_000 }, ({ path, wire: name }) => {
    const wire = fileWireNamed(name);
    const original = readFileSync(path);
    const first = wire.read(sourceOf(original));
    let bytes: Uint8Array = original;
    for (const [round, page] of PAGES.entries()) {
      const source = sourceOf(bytes);
      const session = wire.read(source);
      const next = fold(session.seen, page.messages, `${round}`);
      const before = bytes;
      bytes = Buffer.concat([...wire.write(session, source, next)]);
      const again = wire.read(sourceOf(bytes));
      expect(neutral(again.seen)).toEqual(neutral(next));
      expect(again.skipped).toEqual([]);
      for (const [body, provider] of PROVIDERS)
        expect(problems(again.seen, body, provider), body).toEqual([]);
      if (!APPENDING.includes(name)) continue;
      expect(Buffer.from(bytes.subarray(0, before.length)).equals(before)).toBe(true);
      expect(neutral(again.whole)).toEqual(neutral(first.whole));
    }
  });
});

/** A record may end with the model's answer or a running tool; a request goes on, so it is cut there. */
function problems(seen: Transcript, wire: string, provider: (typeof PROVIDERS)[number][1]) {
  const end = seen.messages.findLastIndex(({ role }) => role === "user" || role === "tool") + 1;
  // A session of nothing but a command and its failure has no words of a user; a page of the model's is not a request.
  if (end === 0) return [];
  const body = bodyWireNamed(wire);
  return check(body.read(body.write({ ...seen, messages: seen.messages.slice(0, end) })), { provider });
}
