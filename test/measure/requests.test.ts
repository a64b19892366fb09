import { describe, expect, test } from "vitest";
import { type Recording, type Request, requestsOf } from "../../src/measure/requests.ts";
import type { Message } from "../../src/transcript/message.ts";
import { assistant, calls, gets, transcript, user } from "../say.ts";

const words = (messages: readonly Message[]) =>
  messages.map(({ parts }) =>
    parts
      .map((part) => {
        if (part.type === "text") return part.text;
        if (part.type !== "tool-result") return part.type;
        return part.output.map((item) => (item.type === "text" ? item.text : item.type)).join();
      })
      .join(" "),
  );
/** The contexts themselves, put together again from what each request says. */
function contexts(recording: Recording): readonly (readonly string[])[] {
  let context: readonly Message[] = [];
  return [...requestsOf(recording)].map(({ added, restart }: Request) => {
    context = restart ? restart.messages : [...context, ...added];
    return words(context);
  });
}

const whole = transcript(
  user("go"),
  calls("1", "Bash"),
  gets("1", "one"),
  assistant("done"),
  user("more"),
  assistant("yes"),
);

describe("requestsOf", () => {
  test("gives each response what had been said before it", () => {
    expect(contexts({ whole, compactions: [] })).toEqual([
      ["go"],
      ["go", "tool-call", "one"],
      ["go", "tool-call", "one", "done", "more"],
    ]);
    expect([...requestsOf({ whole, compactions: [] })].map(({ responseIndex }) => responseIndex)).toEqual([
      1, 3, 5,
    ]);
  });

  test("says only what joined, so that a long session is not told again and again", () => {
    const told = [...requestsOf({ whole, compactions: [] })].map(({ added }) => added.length);
    expect(told).toEqual([1, 2, 2]);
  });

  test("starts anew behind a summary, with what stayed verbatim", () => {
    const compactions = [{ kind: "summary", at: 4, removed: [0, 1, 2], summary: user("so far") }] as const;
    expect(contexts({ whole, compactions })).toEqual([
      ["go"],
      ["go", "tool-call", "one"],
      ["so far", "done", "more"],
    ]);
  });

  test("a second summary replaces the first", () => {
    const compactions = [
      { kind: "summary", at: 3, removed: [0, 1, 2], summary: user("first") },
      { kind: "summary", at: 5, removed: [3, 4], summary: user("second") },
    ] as const;
    expect(contexts({ whole, compactions })).toEqual([["go"], ["first"], ["second"]]);
  });

  test("a clearing empties results in place", () => {
    const compactions = [{ kind: "clear", at: 4, removed: [2] }] as const;
    const last = [...requestsOf({ whole, compactions })].at(-1);
    expect(last?.restart?.kind).toBe("clear");
    expect(words(last?.restart?.messages ?? [])).toEqual([
      "go",
      "tool-call",
      "[Old tool result content cleared]",
      "done",
      "more",
    ]);
  });

  test("a failed response is no request, and is not sent again", () => {
    const failed: Message = { ...assistant("API Error: overloaded"), ended: "failed" };
    expect(contexts({ whole: transcript(user("go"), failed, assistant("hi")), compactions: [] })).toEqual([
      ["go"],
    ]);
  });
});
