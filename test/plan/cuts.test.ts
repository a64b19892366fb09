import { expect, test } from "vitest";
import { cutsOf } from "../../src/plan/cuts.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { assistant, call, calls, gets, result, transcript, user } from "../say.ts";
import { situation } from "./plans.ts";

/** The messages a cut may stand before. */
const cuts = (conversation: Transcript) =>
  cutsOf(situation(conversation)).flatMap((isCut, index) => (isCut ? [index] : []));

test("a call is never parted from its result", () => {
  expect(cuts(transcript(user("hi"), calls("1", "Read"), gets("1", "text"), user("go on")))).toEqual([
    0, 1, 3, 4,
  ]);
});

test("parallel calls stay whole, also when each result is a message", () => {
  const both = assistant(call("1", "Read"), call("2", "Read"));
  expect(cuts(transcript(user("hi"), both, gets("1", "a"), gets("2", "b"), user("on")))).toEqual([
    0, 1, 4, 5,
  ]);
});

test("a single giant turn can be cut between two of its steps", () => {
  const conversation = transcript(
    user("work"),
    calls("1", "Read"),
    gets("1", "a"),
    calls("2", "Read"),
    gets("2", "b"),
    calls("3", "Read"),
    gets("3", "c"),
  );
  expect(cuts(conversation)).toEqual([0, 1, 3, 5, 7]);
});

test("a run of the model's messages is one response", () => {
  expect(cuts(transcript(user("hi"), assistant("well"), assistant("so"), user("on")))).toEqual([0, 1, 3, 4]);
});

test("nothing behind an open call at the end may leave", () => {
  expect(cuts(transcript(user("hi"), assistant("ok"), user("go"), calls("1", "Bash")))).toEqual([0, 1, 2, 3]);
});

test("one of two parallel calls still open keeps the whole step", () => {
  const both = assistant(call("1", "Bash"), call("2", "Bash"));
  expect(cuts(transcript(user("hi"), both, gets("1", "done")))).toEqual([0, 1]);
});

test("a late result keeps everything between it and its call on one side", () => {
  const conversation = transcript(
    user("hi"),
    calls("1", "Bash"),
    user("wait"),
    assistant("yes"),
    gets("1", "late"),
  );
  expect(cuts(conversation)).toEqual([0, 1, 5]);
});

test("words beside a result stand with it", () => {
  const mixed = user(result("1", "a"), "by the way");
  expect(cuts(transcript(user("hi"), calls("1", "Read"), mixed, assistant("ok")))).toEqual([0, 1, 3, 4]);
});
