import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/transcript/json.ts";
import { list, object } from "../../src/transcript/json.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { opencodeMessages as wire } from "../../src/wire/opencode-messages.ts";

const said = (id: string, role: string, parts: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  info: { id, sessionID: "ses_1", role, time: { created: 1 }, modelID: "m", ...more },
  parts: parts.map((part, index) => ({
    id: `prt_${id}_${index}`,
    sessionID: "ses_1",
    messageID: id,
    ...part,
  })),
});
const ran = (callID: string, output: string): JsonObject => ({
  type: "tool",
  tool: "bash",
  callID,
  state: {
    status: "completed",
    input: { command: "ls" },
    output,
    title: "t",
    metadata: {},
    time: { start: 1, end: 2 },
  },
});
const GIVEN: Json[] = [
  said("msg_1", "user", [{ type: "text", text: "fix it" }]),
  said("msg_2", "assistant", [
    { type: "step-start" },
    ran("c1", "one"),
    ran("c2", "two"),
    { type: "step-finish" },
  ]),
  said("msg_3", "user", [{ type: "compaction", auto: true }]),
  said("msg_4", "assistant", [{ type: "text", text: "the summary" }], { summary: true, finish: "stop" }),
  said("msg_5", "assistant", [{ type: "text", text: "half" }], { error: { name: "APIError" } }),
];

const roles = ({ messages }: Transcript) => messages.map(({ role }) => role);
const given = () => structuredClone(GIVEN);
const withMessages = (messages: readonly Message[]): Transcript => ({ messages });

test("a response and its results are two messages; what is not sent is none", () => {
  expect(roles(wire.read(given()))).toEqual(["user", "assistant", "tool", "user", "assistant"]);
});

test("what nothing was done to goes back as the very same objects", () => {
  const natives = given();
  const back = list(wire.write(wire.read(natives)));
  expect(back.length).toBe(4);
  back.forEach((message, index) => {
    expect(message).toBe(natives[index]);
  });
});

test("an edited result changes its part and no other, and nothing in place", () => {
  const natives = given();
  const [user, assistant, tool, ...rest] = wire.read(natives).messages as [Message, Message, Message];
  const edited = tool.parts.map((part, index) =>
    index === 1 && part.type === "tool-result"
      ? { ...part, output: [{ type: "text" as const, text: "⟦stub⟧" }] }
      : part,
  );
  const back = list(wire.write(withMessages([user, assistant, { ...tool, parts: edited }, ...rest])));
  const parts = list(object(back[1])["parts"]).map(object);
  expect(parts.map(({ type }) => type)).toEqual(["step-start", "tool", "tool", "step-finish"]);
  expect(parts[1]).toBe(list(object(natives[1])["parts"])[1]);
  expect(object(parts[2]?.["state"])).toMatchObject({
    status: "completed",
    input: { command: "ls" },
    output: "⟦stub⟧",
  });
  expect(natives).toEqual(GIVEN);
});

test("what was folded is gone, of a message too, and a page stands where it is put", () => {
  const natives = given();
  const [, assistant, tool] = wire.read(natives).messages as [Message, Message, Message];
  const page: Message = { role: "user", parts: [{ type: "text", text: "# Page", synthetic: true }] };
  const back = list(
    wire.write(
      withMessages([
        page,
        { ...assistant, parts: assistant.parts.slice(1) },
        { ...tool, parts: tool.parts.slice(1) },
      ]),
    ),
  ).map(object);
  expect(back.map(({ info }) => object(info)["role"])).toEqual(["user", "assistant"]);
  expect(list(back[0]?.["parts"])).toMatchObject([{ type: "text", text: "# Page", synthetic: true }]);
  const calls = list(back[1]?.["parts"]).map((part) => object(part)["callID"]);
  expect(calls).toEqual([undefined, "c2", undefined]);
});

test("words OpenCode puts in by itself become a text where they are edited", () => {
  const messages = wire.read(given()).messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "text" && part.text === "What did we do so far?" ? { ...part, text: "gone" } : part,
    ),
  }));
  const back = object(list(wire.write(withMessages(messages)))[2]);
  expect(list(back["parts"])).toMatchObject([{ type: "text", text: "gone" }]);
});

test("the list is told by the session its messages name", () => {
  expect([wire.detect(given()), wire.detect([]), wire.detect([{ role: "user", content: "x" }])]).toEqual([
    2, 0, 0,
  ]);
});
