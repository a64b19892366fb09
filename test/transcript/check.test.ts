/**
 * Conversations broken in one way each, and next to them the legal twin. For every provider the expectation is
 * literal: the codes it must find, or none.
 */
import { describe, expect, test } from "vitest";
import { type CheckOptions, check, type ProblemCode, type Provider } from "../../src/transcript/check.ts";
import type { Message, Part, Transcript } from "../../src/transcript/message.ts";
import { assistant, call, calls, gets, result, system, thinks, transcript, user } from "../say.ts";

const ALL: readonly Provider[] = [
  "anthropic",
  "openai-chat",
  "openai-responses",
  "gemini",
  "chat-template",
  "strictest",
];
const BUT_RESPONSES = ALL.filter((provider) => provider !== "openai-responses");

interface Case {
  readonly broken: Transcript;
  /** Each code that is found, and by whom. Whoever is not named accepts. */
  readonly found: Partial<Record<ProblemCode, readonly Provider[]>>;
  readonly options?: CheckOptions;
  readonly legal?: Transcript;
}

const tool = (...parts: readonly Part[]): Message => ({ role: "tool", parts });
const opaque = (of: string, value: string): Part => ({ type: "opaque", of, value });
const ask = user("fix the bug");
const two = assistant(call("1", "Read"), call("2", "Bash"));

const pairs: Record<string, Case> = {
  "a call without a result, and the conversation goes on": {
    broken: transcript(ask, calls("1", "Read"), assistant("done"), user("thanks")),
    found: { "unanswered-call": ALL },
    legal: transcript(ask, calls("1", "Read"), gets("1", "text"), assistant("done"), user("thanks")),
  },
  "one of two parallel calls without a result": {
    broken: transcript(ask, two, gets("1", "text"), assistant("done"), user("thanks")),
    found: { "unanswered-call": ALL },
    legal: transcript(ask, two, gets("2", "ok"), gets("1", "text"), assistant("done"), user("thanks")),
  },
  "a call still open at the end": {
    broken: transcript(ask, calls("1", "Read")),
    found: { "open-call": ALL },
    legal: transcript(ask, calls("1", "Read"), gets("1", "text")),
  },
  "one of two parallel calls still open at the end": {
    broken: transcript(ask, two, tool(result("2", "ok"))),
    found: { "open-call": ALL },
    legal: transcript(ask, two, tool(result("2", "ok")), tool(result("1", "text"))),
  },
  "a result behind a steering message": {
    broken: transcript(ask, calls("1", "Read"), system("be quick"), gets("1", "text")),
    found: {
      "late-result": BUT_RESPONSES,
      "system-inside": ["gemini", "chat-template"],
      "system-not-after-user": ["anthropic"],
    },
    legal: transcript(system("be quick"), ask, calls("1", "Read"), gets("1", "text")),
  },
  "a result behind the next response": {
    broken: transcript(
      ask,
      calls("1", "Read"),
      calls("2", "Bash"),
      tool(result("2", "ok"), result("1", "text")),
    ),
    found: { "late-result": BUT_RESPONSES },
  },
  "a result without a call": {
    broken: transcript(ask, assistant("ok"), user(result("9", "text"))),
    found: { "orphan-result": ALL },
  },
  "a result before its call": {
    broken: transcript(user(result("1", "text")), calls("1", "Read"), gets("1", "text")),
    found: { "orphan-result": ALL },
  },
  "a second result for one call": {
    broken: transcript(ask, calls("1", "Read"), user(result("1", "text"), result("1", "text again"))),
    found: { "repeated-result": ALL },
  },
  "two calls with one id": {
    broken: transcript(ask, calls("1", "Read"), gets("1", "text"), calls("1", "Read"), gets("1", "text")),
    found: { "repeated-call-id": ["anthropic", "openai-responses", "strictest"] },
  },
  "words before results": {
    broken: transcript(
      ask,
      calls("1", "Read"),
      user("here it is", result("1", "text")),
      assistant("ok"),
      user("go"),
    ),
    found: { "result-after-words": ["anthropic", "strictest"], "roles-do-not-alternate": ["chat-template"] },
  },
  "words between results of one run": {
    broken: transcript(
      ask,
      two,
      user(result("1", "text"), opaque("claude-code", "reminder")),
      gets("2", "ok"),
    ),
    found: { "result-after-words": ["anthropic", "strictest"], "roles-do-not-alternate": ["chat-template"] },
  },
};

const places: Record<string, Case> = {
  "a call of the user's": {
    broken: transcript(user("look", call("1", "Read")), assistant("ok"), ask),
    found: { "misplaced-call": ALL },
  },
  "a result of the model's": {
    broken: transcript(ask, assistant(call("1", "Read"), result("1", "text"), "done"), ask),
    found: { "misplaced-result": ALL, "roles-do-not-alternate": ["chat-template"] },
  },
  "thinking of the user's": {
    broken: transcript(user(thinks("hm", "sig"), "fix it")),
    found: { "misplaced-thinking": ALL },
  },
  "words in a message of results": {
    broken: transcript(
      ask,
      calls("1", "Read"),
      tool(result("1", "text"), { type: "text", text: "and so on" }),
    ),
    found: { "misplaced-words": ALL, "roles-do-not-alternate": ["chat-template"] },
  },
  "a message without parts": {
    broken: transcript(ask, assistant(), ask),
    found: { "empty-message": ALL },
  },
  "no messages at all": { broken: transcript(), found: { "no-messages": ALL } },
  "an empty text": {
    broken: transcript(user("")),
    found: { "empty-text": ["anthropic", "gemini", "strictest"] },
  },
  "a blank text": {
    broken: transcript(ask, assistant("\n\n", call("1", "Read")), gets("1", "text")),
    found: { "blank-text": ["anthropic", "strictest"] },
    legal: transcript(ask, assistant(call("1", "Read")), gets("1", "")),
  },
  "an empty system prompt": {
    broken: { ...transcript(ask), system: [{ type: "text", text: "" }] },
    found: { "empty-text": ["anthropic", "gemini", "strictest"] },
    legal: { ...transcript(ask), system: [{ type: "text", text: "be kind" }] },
  },
  "the model speaks first": {
    broken: transcript(system("be kind"), assistant("hello"), ask),
    found: {
      "starts-with-assistant": ["anthropic", "gemini", "chat-template", "strictest"],
      "roles-do-not-alternate": ["chat-template"],
    },
    legal: transcript(system("be kind"), ask, assistant("hello"), ask),
  },
  "the model has the last word": {
    broken: transcript(ask, assistant("done")),
    found: { "ends-with-assistant": ["anthropic", "gemini", "chat-template", "strictest"] },
  },
  "a system message behind the user's": {
    broken: transcript(ask, system("be quick")),
    found: { "system-inside": ["gemini", "chat-template"] },
    legal: transcript(system("be quick"), system("be kind"), ask),
  },
  "a system message behind the model's": {
    broken: transcript(ask, assistant("done"), system("be quick"), ask),
    found: { "system-inside": ["gemini", "chat-template"], "system-not-after-user": ["anthropic"] },
  },
  "two user messages in a row": {
    broken: transcript(user("<system-reminder>"), ask),
    found: { "roles-do-not-alternate": ["chat-template"] },
  },
  "the user speaks right after results": {
    broken: transcript(ask, calls("1", "Read"), gets("1", "text"), user("and now?")),
    found: { "roles-do-not-alternate": ["chat-template"] },
  },
};

const names: Record<string, Case> = {
  "calls and results without an id": {
    broken: transcript(
      ask,
      assistant(call("", "Read"), call("", "Bash")),
      user(result("", "a"), result("", "b")),
    ),
    found: { "missing-call-id": ["anthropic", "openai-chat", "openai-responses", "strictest"] },
  },
  "a call without a name": {
    broken: transcript(ask, calls("1", ""), gets("1", "text")),
    found: { "missing-name": ALL },
  },
  "an id of 65 characters": {
    broken: transcript(ask, calls("c".repeat(65), "Read"), gets("c".repeat(65), "text")),
    found: { "long-call-id": ["openai-chat", "openai-responses", "strictest"] },
    legal: transcript(ask, calls("c".repeat(64), "Read"), gets("c".repeat(64), "text")),
  },
  "an id with a colon": {
    broken: transcript(ask, calls("functions.Read:0", "Read"), gets("functions.Read:0", "text")),
    found: { "malformed-call-id": ["anthropic", "strictest"] },
    legal: transcript(ask, calls("toolu_01-Ab", "Read"), gets("toolu_01-Ab", "text")),
  },
  "an input that is not an object": {
    broken: transcript(ask, calls("1", "apply_patch", "*** Begin Patch"), gets("1", "ok")),
    found: { "input-not-object": ["anthropic", "gemini"] },
  },
};

const thought = assistant(thinks("look first", "sig"), call("1", "Read"));
const hidden: Part = { type: "thinking", text: "", encrypted: "secret" };
const original: Transcript = {
  system: [{ type: "text", text: "be kind" }],
  tools: [{ name: "Read" }, { name: "Bash", description: "runs" }],
  messages: [
    ask,
    thought,
    gets("1", "const a = 1;"),
    assistant(hidden, opaque("claude-code", "item"), "done"),
    ask,
  ],
};
const options: CheckOptions = { original };
const instead = (index: number, message: Message): Transcript => ({
  ...original,
  messages: original.messages.with(index, message),
});
const SEALED: readonly Provider[] = ["anthropic", "strictest"];
const EDITED: readonly Provider[] = ["anthropic", "openai-responses", "gemini", "strictest"];

const originals: Record<string, Case> = {
  "a response that ends in sealed thinking": {
    broken: transcript(ask, assistant("ok", thinks("hm", "sig")), ask),
    found: { "thinking-last": ["anthropic", "openai-responses", "strictest"] },
    legal: transcript(ask, assistant("ok", thinks("nobody sealed this")), ask),
  },
  "thinking reworded": {
    options,
    broken: instead(1, assistant(thinks("look later", "sig"), call("1", "Read"))),
    found: { "thinking-edited": EDITED, "prefix-changed": SEALED },
  },
  "thinking sealed anew": {
    options,
    broken: instead(1, assistant(thinks("look first", "forged"), call("1", "Read"))),
    found: { "thinking-edited": EDITED, "prefix-changed": SEALED },
  },
  "hidden thinking changed": {
    options,
    broken: instead(3, assistant({ ...hidden, encrypted: "forged" }, "done")),
    found: { "thinking-edited": EDITED },
    legal: instead(3, assistant("done")),
  },
  "a result before hidden thinking stubbed": {
    options,
    broken: instead(2, gets("1", "[stub]")),
    found: { "prefix-changed": SEALED },
    legal: instead(2, gets("1", "  const a = 1;\n")),
  },
  "the system prompt changed": {
    options,
    broken: { ...original, system: [{ type: "text", text: "be quick" }] },
    found: { "prefix-changed": SEALED },
    legal: { ...transcript(system(" be kind"), ...original.messages), tools: original.tools ?? [] },
  },
  "a tool changed": {
    options,
    broken: { ...original, tools: [{ name: "Read" }, { name: "Bash", description: "runs fast" }] },
    found: { "prefix-changed": SEALED },
    legal: { ...original, tools: [{ name: "Bash", description: "runs" }, { name: "Read" }] },
  },
  "a message before thinking dropped": {
    options: { original: transcript(user("first"), ...original.messages) },
    broken: transcript(...original.messages),
    found: { "prefix-changed": SEALED },
  },
  "an opaque item changed": {
    options,
    broken: instead(3, assistant(hidden, opaque("claude-code", "another"), "done")),
    found: { "opaque-edited": ALL },
  },
  "thinking left out while the model waits for results": {
    options: { original: transcript(ask, thought, gets("1", "text")) },
    broken: transcript(ask, calls("1", "Read"), gets("1", "text")),
    found: { "missing-thinking": SEALED },
    legal: transcript(ask, calls("1", "Read"), gets("1", "text"), assistant("done"), ask),
  },
  "an item moved to another provider": {
    broken: transcript(ask, assistant(opaque("openai-item", "compaction"), "ok"), ask),
    found: { "foreign-opaque": ["anthropic", "openai-chat", "gemini", "chat-template"] },
    legal: transcript(ask, assistant(opaque("claude-code", "a harness's own"), "ok"), ask),
  },
};

describe.each([
  ["pairs", pairs],
  ["places", places],
  ["names", names],
  ["originals", originals],
])("%s", (_, cases) => {
  describe.each(Object.entries(cases))("%s", (__, { broken, found, legal, options }) => {
    test.each(ALL)("%s", (provider) => {
      const expected = Object.entries(found).flatMap(([code, by]) => (by.includes(provider) ? [code] : []));
      const codes = new Set(check(broken, { ...options, provider }).map(({ code }) => code));
      expect([...codes].sort()).toEqual(expected.sort());
      if (legal) expect(check(legal, { ...options, provider })).toEqual([]);
    });
  });
});

describe("a problem", () => {
  test("says where it is and why", () => {
    expect(check(transcript(ask, assistant("ok", call("1", "Read")), user("go on")))).toEqual([
      {
        code: "unanswered-call",
        messageIndex: 1,
        partIndex: 1,
        why: "Call 1 (Read) has no result, and the conversation goes on.",
      },
    ]);
  });

  test("in the system prompt stands before the first message", () => {
    const found = check({ ...transcript(user("")), system: [{ type: "text", text: " " }] });
    expect(found.map(({ code, messageIndex, partIndex }) => [code, messageIndex, partIndex])).toEqual([
      ["blank-text", -1, 0],
      ["empty-text", 0, 0],
    ]);
  });

  test("a message of nothing is nobody's first or last word", () => {
    const found = check(transcript(assistant(), user("go"), assistant()));
    expect(found.map(({ code }) => code)).toEqual(["empty-message", "empty-message"]);
  });

  test("comes in the order of the conversation", () => {
    const found = check(
      transcript(assistant("hello"), two, user("", result("1", "text")), assistant("done")),
    );
    expect(found.map(({ code, messageIndex }) => [messageIndex, code])).toEqual([
      [0, "starts-with-assistant"],
      [1, "unanswered-call"],
      [2, "empty-text"],
      [2, "result-after-words"],
      [3, "ends-with-assistant"],
    ]);
  });
});

describe("a record", () => {
  const codes = (...messages: readonly Message[]) =>
    check(transcript(...messages), { as: "record" }).map(({ code }) => code);

  test("may end with an answer, with tools still running, or not have begun", () => {
    expect(codes(ask, assistant("done"))).toEqual([]);
    expect(codes(ask, two)).toEqual([]);
    expect(codes(ask, two, gets("2", "ok"))).toEqual([]);
    expect(codes()).toEqual([]);
  });

  test("may keep what its harness does not send: blank texts, empty messages, broken-off thinking, its own ids", () => {
    expect(
      codes(ask, assistant("\n"), user(""), assistant(), ask, assistant(thinks("hm", "sig")), ask),
    ).toEqual([]);
    expect(codes(ask, calls("call_1|fc_2", "Read"), gets("call_1|fc_2", "text"))).toEqual([]);
  });

  test("may not leave a call behind, or hold a result of nothing", () => {
    expect(codes(ask, two, gets("2", "ok"), ask)).toEqual(["unanswered-call"]);
    expect(codes(ask, gets("2", "ok"))).toEqual(["orphan-result"]);
  });
});

describe("what was sealed", () => {
  test("may stand wherever it stood in the original, as often as there", () => {
    const again = transcript(ask, assistant(hidden, "one"), ask, assistant(hidden, "two"), ask);
    expect(check(again, { original: again })).toEqual([]);
  });

  test("may leave a response once the model has spoken again; the user's words behind its results are joined with them", () => {
    const told = transcript(ask, thought, gets("1", "text"), user("stop"));
    const codes = (...messages: readonly Message[]) =>
      check(transcript(ask, ...messages), { original: told }).map(({ code }) => code);
    const bare = calls("1", "Read");
    expect(codes(bare, user(result("1", "text"), "stop"))).toEqual(["missing-thinking"]);
    expect(codes(bare, gets("1", "text"), user("stop"))).toEqual(["missing-thinking"]);
    expect(codes(bare, gets("1", "text"), user("stop"), user("really"))).toEqual(["missing-thinking"]);
    expect(codes(bare, gets("1", "text"), assistant("(folded)"), user("stop"))).toEqual([]);
  });

  test("is looked for in all messages of the model that stand together", () => {
    const sealed = assistant(thinks("hm", "sig"), "let me look");
    const told = transcript(ask, sealed, calls("1", "Read"), gets("1", "text"));
    const found = (...messages: readonly Message[]) =>
      check(transcript(ask, ...messages), { original: told }).map(({ code }) => code);
    expect(found(sealed, calls("1", "Read"), gets("1", "text"))).toEqual([]);
    expect(found(assistant("let me look"), calls("1", "Read"), gets("1", "text"))).toEqual([
      "missing-thinking",
    ]);
  });

  test("includes opaque items inside results, which may leave with their result and not change in it", () => {
    const holding = (value: string): Part => ({
      type: "tool-result",
      callId: "1",
      isError: false,
      output: [{ type: "opaque", of: "anthropic", value }],
    });
    const told = transcript(ask, calls("1", "Read"), user(holding("item")));
    expect(check(transcript(ask, calls("1", "Read"), gets("1", "[stub]")), { original: told })).toEqual([]);
    const edited = transcript(ask, calls("1", "Read"), user(holding("edited")));
    expect(check(edited, { original: told }).map(({ code }) => code)).toEqual(["opaque-edited"]);
  });
});

describe("a provider's own compaction", () => {
  test("may stand first, as the model's message", () => {
    const block: Part = { type: "opaque", of: "anthropic", value: { type: "compaction", content: "so far" } };
    expect(check(transcript(assistant(block), ask), { provider: "anthropic" })).toEqual([]);
  });
});

// Quadratic would take minutes, and run into the time limit of a test.
test("a long conversation is judged in one pass", () => {
  const messages = Array.from({ length: 20_000 }, (_, n) => [
    user(`ask ${n}`),
    assistant(thinks(`thought ${n}`, "the same seal"), call(`call_${n}`, "Read")),
    gets(`call_${n}`, "text"),
    assistant("done"),
  ]).flat();
  const long = transcript(...messages, ask);
  expect(check(long, { original: long })).toEqual([]);
});
