/**
 * Every real session: detected, read, written back to the byte, and its counts explained against the table that came
 * with it. The table counts what each harness calls a message; we gather a response and its calls into one, so the
 * explanation differs by wire, and is written out here.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/file.ts";
import { check } from "../../src/transcript/check.ts";
import { object } from "../../src/transcript/json.ts";
import type { Message, Part } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import type { Session } from "../../src/wire/wire.ts";
import { bodyWireNamed, fileWireNamed, readSession } from "../../src/wire/wires.ts";
import { realSessions, recordedCounts, SKIPPED } from "../real-sessions.ts";

const PROVIDERS = [
  ["anthropic-messages", "anthropic"],
  ["openai-chat", "openai-chat"],
  ["openai-responses", "openai-responses"],
  ["gemini", "gemini"],
] as const;

describe.skipIf(realSessions.length === 0)(`real sessions (${SKIPPED})`, () => {
  test("there are thirty, in ten formats", () => {
    expect(realSessions).toHaveLength(30);
    expect(new Set(realSessions.map(({ wire }) => wire)).size).toBe(10);
  });

  test.for(realSessions)("$name is detected, read and written back", ({ path, wire }) => {
    const source = openFile(path);
    const session = readSession(source);
    expect(session.wire).toBe(wire);
    expect(session.skipped).toEqual([]);
    expect(pairUp(session.whole).orphans).toEqual([]);
    expect(Buffer.concat([...fileWireNamed(wire).write(session, source)]).equals(readFileSync(path))).toBe(
      true,
    );
  });

  test.for(realSessions)("$name can be sent to every provider", ({ path }) => {
    const { seen } = readSession(openFile(path));
    // A record may end with the model's answer or a running tool; a request goes on, so it is cut there.
    const end =
      seen.messages.findLastIndex((message) => message.role === "user" || message.role === "tool") + 1;
    const request = { ...seen, messages: seen.messages.slice(0, end) };
    for (const [wire, provider] of PROVIDERS) {
      const sent = bodyWireNamed(wire).read(bodyWireNamed(wire).write(request));
      expect(check(sent, { provider }), wire).toEqual([]);
    }
  });

  test.for(realSessions)("$name has the messages and calls the table says", ({ name, path, wire }) => {
    const session = readSession(openFile(path));
    const counted = { messages: messagesAsCounted(session), toolCalls: callsAsCounted(session) };
    // The table counts two error notes of OpenHands, which it tells the model in the user's name, as messages.
    const notes = wire === "openhands" ? 2 : 0;
    expect({ ...counted, messages: counted.messages + notes }).toEqual(recordedCounts().get(name));
  });
});

function messagesAsCounted(session: Session): number {
  const messages = messagesIn(session);
  const summaries = session.compactions.filter(({ kind }) => kind === "summary").length;
  // Records of either side, attachments aside, and the summaries, which stand in `compactions`.
  if (session.wire === "claude-code")
    return messages.filter(({ parts }) => parts[0]?.type !== "opaque").length + summaries;
  // Lines: every item but reasoning is one, and so is every compaction.
  if (session.wire === "codex")
    return (
      new Set(
        partsIn(messages)
          .filter(({ type }) => type !== "thinking")
          .map(lineOf),
      ).size + summaries
    );
  // Texts, calls and results, each by itself; not the system prompt, nor what the harness put in the user's mouth.
  return partsIn(messages.filter(({ role }) => role !== "system")).filter(isCounted).length;
}

/** Codex's own searches are calls too; their items stay closed to us. */
function callsAsCounted(session: Session): number {
  return partsIn(messagesIn(session)).filter((part) => {
    const searches = ["web_search_call", "tool_search_call"];
    return (
      part.type === "tool-call" ||
      (part.type === "opaque" && searches.includes(String(object(part.value)["type"])))
    );
  }).length;
}

/** Several instances in one file are several conversations. */
function messagesIn(session: Session): readonly Message[] {
  const instances = session.asides.filter(({ kind }) => kind === "instance");
  return [session.whole, ...instances.map(({ transcript }) => transcript)].flatMap(
    (transcript) => transcript.messages,
  );
}

function partsIn(messages: readonly Message[]): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

function isCounted(part: Part): boolean {
  if (part.type === "text") return part.synthetic !== true && part.text.trim() !== "";
  return part.type === "document" || part.type === "tool-call" || part.type === "tool-result";
}

function lineOf(part: Part): unknown {
  return object(part.native)["line"];
}
