import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Part, Transcript } from "../../src/transcript/message.ts";
import { extendPrefix, openPrefix, prefixesOf } from "../../src/transcript/prefix.ts";
import { assistant, call, calls, gets, result, system, thinks, transcript, user } from "../say.ts";

const digest = (conversation: Transcript) => prefixesOf(conversation).at(-1);
const opaque = (value: Json): Part => ({ type: "opaque", of: "anthropic", value });

describe("the digest of a prefix ignores", () => {
  const same: Record<string, readonly [Transcript, Transcript]> = {
    "white space around texts": [transcript(user(" hi\n")), transcript(user("hi"))],
    "blank texts, which no wire sends": [transcript(user("hi", "\n")), transcript(user("hi"))],
    "thinking nobody sealed, which no wire sends": [
      transcript(assistant(thinks("a"), "b")),
      transcript(assistant("b")),
    ],
    "white space around the text of a result": [transcript(gets("1", "a\n")), transcript(gets("1", "a"))],
    "the order of tools": [
      { tools: [{ name: "a" }, { name: "b" }], messages: [] },
      { tools: [{ name: "b" }, { name: "a" }], messages: [] },
    ],
    "cache_control, wherever it stands": [
      transcript(
        assistant(
          opaque({ type: "x", content: [{ a: 1, cache_control: {} }], cache_control: { ttl: "1h" } }),
        ),
      ),
      transcript(assistant(opaque({ type: "x", content: [{ a: 1 }] }))),
    ],
    "how results are spread over messages, and their role": [
      transcript(user(result("1", "a"), result("2", "b"))),
      transcript({ role: "tool", parts: [result("1", "a")] }, { role: "tool", parts: [result("2", "b")] }),
    ],
    "whether the system prompt stands outside": [
      { system: [{ type: "text", text: "be kind" }], messages: [user("hi")] },
      transcript(system("be kind"), user("hi")),
    ],
    "where it was read, when, and at what price": [
      transcript({ ...user("hi"), at: 1, native: { of: "x", value: 1 } }),
      transcript(user({ type: "text", text: "hi", synthetic: true, native: 7 })),
    ],
  };
  test.each(Object.entries(same))("%s", (_, [one, other]) => {
    expect(digest(one)).toBe(digest(other));
  });
});

describe("the digest of a prefix tells apart", () => {
  const different: Record<string, readonly [Transcript, Transcript]> = {
    words: [transcript(user("a")), transcript(user("b"))],
    "white space inside a text": [transcript(user("a b")), transcript(user("a  b"))],
    "who said it": [transcript(user("a")), transcript(assistant("a"))],
    "one text from two": [transcript(user("a", "b")), transcript(user("a\nb"))],
    "ids of calls": [transcript(calls("1", "Read")), transcript(calls("2", "Read"))],
    "inputs of calls": [transcript(calls("1", "Read", { a: 1 })), transcript(calls("1", "Read", { a: 2 }))],
    "failed results from good ones": [
      transcript(user(result("1", "a"))),
      transcript(user(result("1", "a", true))),
    ],
    seals: [transcript(assistant(thinks("a", "s"), "b")), transcript(assistant(thinks("a", "t"), "b"))],
    "thinking that was left out": [transcript(assistant(thinks("a", "s"), "b")), transcript(assistant("b"))],
    "opaque items": [transcript(assistant(opaque({ a: 1 }))), transcript(assistant(opaque({ a: 2 })))],
    "the order of parts": [
      transcript(assistant("a", call("1", "Read"))),
      transcript(assistant(call("1", "Read"), "a")),
    ],
    "schemas of tools": [
      { tools: [{ name: "a", input: { type: "object" } }], messages: [] },
      { tools: [{ name: "a" }], messages: [] },
    ],
    "half a surrogate pair from another": [transcript(user("\ud83d")), transcript(user("\ud83e"))],
  };
  test.each(Object.entries(different))("%s", (_, [one, other]) => {
    expect(digest(one)).not.toBe(digest(other));
  });
});

test("a server can follow a conversation message by message", () => {
  const messages = [user("a"), assistant(thinks("b", "s"), call("1", "Read")), gets("1", "c")];
  const conversation: Transcript = { system: [{ type: "text", text: "be kind" }], messages };
  const walked = messages.reduce(
    (prefix, message) => extendPrefix(prefix, message),
    openPrefix(conversation),
  );
  expect(prefixesOf(conversation).at(-1)).toEqual(walked);
  expect(prefixesOf(conversation)).toHaveLength(messages.length + 1);
});

test("a digest is what it was in the last release", () => {
  expect(digest(transcript(user("hello")))).toBe("qtYSz8EN39er8NfE-44NR8e0gGHQ70CKVCoyVvct3HU");
});
