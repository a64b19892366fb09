import { describe, expect, test } from "vitest";
import type { Message, Part } from "../../src/transcript/message.ts";
import { stepsOf, turnsOf } from "../../src/transcript/turns.ts";
import { assistant, call, calls, gets, result, system, transcript, user } from "../say.ts";

const reminder: Part = { type: "text", text: "<system-reminder>", synthetic: true };
const tool = (...parts: readonly Part[]): Message => ({ role: "tool", parts });
const turns = (...messages: readonly Message[]) =>
  turnsOf(transcript(...messages)).map(({ start, end }) => [start, end]);
const steps = (...messages: readonly Message[]) =>
  stepsOf(transcript(...messages)).map(({ start, end }) => [start, end]);

describe("a turn", () => {
  test("is one user message up to the next", () => {
    expect(turns(user("a"), assistant("b"), user("c"), assistant("d"), assistant("e"))).toEqual([
      [0, 2],
      [2, 5],
    ]);
  });

  test("does not start with what the harness says in the user's name", () => {
    expect(turns(user("a"), assistant("b"), user(reminder), assistant("c"))).toEqual([[0, 4]]);
    expect(turns(user("a"), assistant("b"), user(reminder, "and I say"), assistant("c"))).toEqual([
      [0, 2],
      [2, 4],
    ]);
  });

  test("does not start with results, whatever their role and whatever is said beside them", () => {
    expect(turns(user("a"), calls("1", "Read"), gets("1", "x"), assistant("b"))).toEqual([[0, 4]]);
    expect(turns(user("a"), calls("1", "Read"), tool(result("1", "x")), assistant("b"))).toEqual([[0, 4]]);
    expect(turns(user("a"), calls("1", "Read"), user(result("1", "x"), "by the way"))).toEqual([[0, 3]]);
  });

  test("starts with a picture as with words, and not with blanks", () => {
    const picture: Part = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } };
    expect(turns(user("a"), assistant("b"), user(picture), assistant("c"))).toHaveLength(2);
    expect(turns(user("a"), assistant("b"), user("  \n"), assistant("c"))).toHaveLength(1);
  });

  test("owns what stands before the first user message", () => {
    expect(turns(system("be kind"), user(reminder), user("a"), assistant("b"), user("c"))).toEqual([
      [0, 4],
      [4, 5],
    ]);
  });

  test("is the whole conversation where no user speaks, and nothing where nobody does", () => {
    expect(turns(system("be kind"), assistant("b"))).toEqual([[0, 2]]);
    expect(turns()).toEqual([]);
  });
});

describe("a step", () => {
  test("is one response with its results, in one message or in many", () => {
    const two = assistant(call("1", "Read"), call("2", "Bash"));
    expect(steps(user("a"), two, user(result("1", "x"), result("2", "y")), assistant("b"))).toEqual([
      [1, 3],
      [3, 4],
    ]);
    expect(steps(user("a"), two, tool(result("1", "x")), tool(result("2", "y")), assistant("b"))).toEqual([
      [1, 4],
      [4, 5],
    ]);
  });

  test("ends where somebody speaks", () => {
    expect(steps(calls("1", "Read"), gets("1", "x"), user("wait"), gets("2", "y"))).toEqual([[0, 2]]);
  });

  test("ends where the next response begins, even if that holds results", () => {
    expect(steps(calls("1", "Read"), assistant(result("1", "x")), assistant(result("2", "y")))).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});
