import { describe, expect, test } from "vitest";
import type { Message } from "../../src/transcript/message.ts";
import { callsByResult, pairUp } from "../../src/transcript/pairs.ts";
import { assistant, call, calls, gets, result, transcript, user } from "../say.ts";

/** `call place → result place`, and orphans as `→ place`. */
function outline(...messages: readonly Message[]): readonly string[] {
  const { pairs, orphans } = pairUp(transcript(...messages));
  const place = (at?: { messageIndex: number; partIndex: number }) =>
    at ? `${at.messageIndex}.${at.partIndex}` : "";
  return [
    ...pairs.map((pair) => `${place(pair.call)} → ${place(pair.result)}`),
    ...orphans.map((orphan) => `→ ${place(orphan)}`),
  ];
}

describe("a result answers", () => {
  test("the call with its id, in whatever order results come", () => {
    expect(
      outline(assistant(call("1", "Read"), call("2", "Bash")), user(result("2", "b"), result("1", "a"))),
    ).toEqual(["0.0 → 1.1", "0.1 → 1.0"]);
  });

  test("its call even when it comes late", () => {
    expect(outline(calls("1", "Read"), user("wait"), assistant("ok"), gets("1", "a"))).toEqual(["0.0 → 3.0"]);
  });

  test("the latest call where a host reuses ids", () => {
    expect(outline(calls("1", "Read"), gets("1", "a"), calls("1", "Read"), gets("1", "b"))).toEqual([
      "0.0 → 1.0",
      "2.0 → 3.0",
    ]);
  });

  test("the latest call where an earlier one with its id is still open", () => {
    expect(outline(calls("1", "Read"), calls("1", "Read"), gets("1", "b"))).toEqual(["0.0 → ", "1.0 → 2.0"]);
  });

  test("then the earlier one, where another result with that id comes", () => {
    expect(outline(calls("1", "Read"), calls("1", "Read"), gets("1", "b"), gets("1", "a"))).toEqual([
      "0.0 → 3.0",
      "1.0 → 2.0",
    ]);
  });

  test("parallel calls without ids in their order", () => {
    const parallel = assistant(call("", "Read"), call("", "Bash"), call("", "Grep"));
    expect(outline(parallel, user(result("", "a"), result("", "b")), user(result("", "c")))).toEqual([
      "0.0 → 1.0",
      "0.1 → 1.1",
      "0.2 → 2.0",
    ]);
  });

  test("nothing when its call is missing, comes later or was answered before", () => {
    expect(
      outline(gets("1", "a"), calls("1", "Read"), gets("1", "b"), gets("1", "c"), gets("2", "d")),
    ).toEqual(["1.0 → 2.0", "→ 0.0", "→ 3.0", "→ 4.0"]);
  });
});

test("several calls can be open at once", () => {
  expect(outline(assistant(call("1", "Read"), call("2", "Bash"), call("3", "Grep")), gets("2", "b"))).toEqual(
    ["0.0 → ", "0.1 → 1.0", "0.2 → "],
  );
});

test("each result part leads to its call", () => {
  const conversation = transcript(calls("1", "Read"), gets("1", "a"), gets("9", "orphan"));
  const found = callsByResult(pairUp(conversation));
  expect([...found].map(([part, origin]) => [part.callId, origin.name])).toEqual([["1", "Read"]]);
});

test("many calls that share one id are paired in one pass", () => {
  const count = 50_000;
  const many = assistant(...Array.from({ length: count }, () => call("", "Read")));
  const { pairs } = pairUp(transcript(many, user(...Array.from({ length: count }, () => result("", "a")))));
  expect(pairs.at(-1)?.result?.partIndex).toBe(count - 1);
});
