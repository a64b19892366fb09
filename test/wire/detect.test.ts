/** Bodies we wrote ourselves are known again, whatever stands at their beginning. */
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../src/errors.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { bodyWires, readSession } from "../../src/wire/wires.ts";
import { assistant, calls, gets, user } from "../say.ts";

const LONG = "a sentence of a long prompt. ".repeat(2_000);

const PROMPTED: Transcript = {
  system: [{ type: "text", text: LONG }],
  messages: [
    user("go"),
    calls("call_1", "Bash", { command: "ls" }),
    gets("call_1", "a.ts"),
    assistant("done"),
  ],
};

const LATE: Transcript = {
  messages: [
    user(LONG),
    assistant("I will look."),
    user("do"),
    calls("call_1", "Bash", { command: "ls" }),
    gets("call_1", "a.ts"),
    assistant("done"),
  ],
};

describe.each(bodyWires.map((wire) => [wire.name, wire] as const))("%s", (name, wire) => {
  test.each([
    ["a system prompt larger than the sample", PROMPTED],
    ["a first tool call behind the sample", LATE],
  ])("is recognised behind %s, and its calls are read", (_, transcript) => {
    const session = readSession(sourceOf(JSON.stringify(wire.write(transcript))));
    expect(session.wire).toBe(name);
    expect(
      pairUp(session.whole).pairs.map(({ call, result }) => [call.part.name, result !== undefined]),
    ).toEqual([["Bash", true]]);
  });
});

test("a document that was never finished is said to be that", () => {
  expect(() => readSession(sourceOf(`{"model":"x","system":"${LONG}`))).toThrow(/no conversation we know/);
});

test("a file of lines is known by them also where a crash left zeros before the first", () => {
  const record = { type: "user", uuid: "u1", parentUuid: null, sessionId: "s", message: { content: "go" } };
  const zeros = "\0".repeat(4_096);
  expect(readSession(sourceOf(`${zeros}${JSON.stringify(record)}\n`)).whole.messages).toHaveLength(1);
  expect(readSession(sourceOf(`${zeros}\n${JSON.stringify(record)}\n`)).whole.messages).toHaveLength(1);
});

test("a document nested beyond all sense is said to be that", () => {
  const deep = `{"messages":[{"role":"user","content":${"[".repeat(10_000)}${"]".repeat(10_000)}}]}`;
  expect(() => readSession(sourceOf(deep), { wire: "cline" })).toThrow(PalimpsestError);
  const named = `{"info":{"mini_version":"1"},${deep.slice(1)}`;
  expect(() => readSession(sourceOf(named))).toThrow(/nested more than 1,000 levels deep/);
});
