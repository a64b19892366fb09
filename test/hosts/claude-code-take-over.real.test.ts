/**
 * Real sessions of Claude Code, handed over as the engine would hand them, three times as each goes on: what goes back is
 * legal, every one of the user's messages is still there by its handle or in its words, and all that left can be read.
 */
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/file.ts";
import { conversationIn, rowsIn } from "../../src/hosts/claude-code/rows.ts";
import { takeOver } from "../../src/hosts/claude-code/take-over.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { check } from "../../src/transcript/check.ts";
import { isList, type Json, type JsonObject, object } from "../../src/transcript/json.ts";
import type { Message, Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { stepsOf } from "../../src/transcript/turns.ts";
import { writeBlock } from "../../src/wire/anthropic-blocks.ts";
import { anthropicMessages } from "../../src/wire/anthropic-messages.ts";
import { readSession } from "../../src/wire/wires.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { type Handback, sentAfter } from "./claude-code-conversation.ts";

const sessions = realSessions.filter(({ wire }) => wire === "claude-code");
const STAGES = 3;

/** A row for each block of a response and each result, as the engine has them. */
function rowsOf(messages: readonly Message[], stage: number): readonly JsonObject[] {
  return messages
    .flatMap(({ role, parts }) =>
      parts.flatMap((part) => rowOf(role === "assistant" ? "assistant" : "user", part)),
    )
    .map((row, index) => ({ ...row, handle: `${stage}-${index}` }));
}

function rowOf(role: string, part: Part): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [{ role, text: part.text, toolUses: [] }];
    case "tool-call":
      return [
        { role, text: "", toolUses: [{ tool_use_id: part.callId, tool: part.name, input: part.input }] },
      ];
    case "tool-result": {
      const text = part.output.map((one) => (one.type === "text" ? one.text : "")).join("");
      const result = { tool_use_id: part.callId, text, isError: part.isError };
      return [{ role, text: "", toolUses: [], toolResults: [result] }];
    }
    default:
      return [];
  }
}

function requestOf(messages: readonly Message[]): readonly Json[] {
  const spelled = messages.map(({ role, parts }) => ({
    role: role === "assistant" ? "assistant" : "user",
    content: parts.filter(({ type }) => type !== "opaque").map((part) => writeBlock(part)),
  }));
  return spelled.filter(({ content }) => content.length > 0);
}

/** As the engine writes it down: what stayed by handle as it was, the rest as it was built. */
function readAgain(messages: readonly Handback[]): readonly Message[] {
  return anthropicMessages.read([...sentAfter(messages)]).messages;
}

test.skipIf(sessions.length > 0)(SKIPPED, () => undefined);

describe.each(sessions)("$name", ({ path, wire }) => {
  const { messages } = readSession(openFile(path), { wire }).whole;
  const said = messages.filter(({ parts }) => parts.some(({ type }) => type !== "opaque"));
  const ends = stepsOf({ messages: said }).map(({ end }) => end);

  test("three times, as it goes on", async () => {
    const store = memoryStore();
    await store.openSession({ id: "s", at: 0 });
    let now: readonly Message[] = [];
    let from = 0;
    for (let stage = 1; stage <= STAGES; stage += 1) {
      const end = ends[Math.floor((stage * ends.length) / STAGES) - 1] ?? said.length;
      now = [...now, ...said.slice(from, end)];
      from = end;
      const rows = rowsOf(now, stage);
      const request = requestOf(now);
      const outcome = await takeOver([...rows], [...request], {
        ...{ store, sessionId: "s", cwd: "/nowhere", at: stage, trigger: "auto" },
        ...{ model: "claude-sonnet-4-5", windowTokens: 60_000 },
      });
      if (!("messages" in outcome)) continue;
      const back = outcome.messages.map((message) => object(message)) as unknown as readonly Handback[];
      const transcript = anthropicMessages.read([...sentAfter(back)]);
      expect(check(transcript, { provider: "anthropic", as: "record" })).toEqual([]);
      const text = JSON.stringify(back);
      const before = conversationIn(rowsIn([...rows]), isList(request) ? request : undefined).messages;
      for (const part of before.flatMap((message) => message.parts)) {
        if (part.type === "thinking" || part.type === "opaque" || text.includes(spelledIn(part))) continue;
        expect(
          (await store.recall("s", refOf(part))).kind,
          `${part.type} ${wordsOf(part).slice(0, 80)}`,
        ).toBe("found");
      }
      now = readAgain(back);
    }
    expect(from).toBeGreaterThan(0);
  });
});

/** As it stands in what went back, where it stayed. */
function spelledIn(part: Part): string {
  return part.type === "tool-call" ? JSON.stringify(part.input) : JSON.stringify(wordsOf(part));
}

function wordsOf(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return JSON.stringify(part.input);
  if (part.type === "tool-result")
    return part.output.map((one) => (one.type === "text" ? one.text : "")).join("");
  return "";
}
