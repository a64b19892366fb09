/** What may not be committed, whoever planned it. The compactions here are ones no strategy of ours would propose. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../src/apply/view.ts";
import { objectionTo } from "../src/objection.ts";
import type { Edit } from "../src/plan/edit.ts";
import type { Compaction } from "../src/plan/ledger.ts";
import type { Part, Transcript } from "../src/transcript/message.ts";
import { refOf } from "../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "./say.ts";

const SAVING = { tokensBefore: 100, tokensAfter: 50 };

function compactionOf(edits: readonly Edit[]): Compaction {
  return { kind: "compaction", id: "c1", at: 0, policy: "test", trigger: "manual", edits, ...SAVING };
}

function edited(part: Part, kind: "drop" | "stub", occurrence = 0): Edit {
  const edit = { at: { ref: refOf(part), occurrence }, why: "test", tokens: 1 };
  return kind === "drop" ? { kind, ...edit } : { kind, ...edit, text: "⟦gone⟧" };
}

function objectionAfter(history: Transcript, ...edits: readonly Edit[]): string | undefined {
  return objectionTo(SAVING, viewOf(history, []), viewOf(history, [compactionOf(edits)]))?.join(": ");
}

describe("savings", () => {
  const one = viewOf(transcript(user("hi")), []);
  test.each([
    [100, 100, true],
    [100, 101, true],
    [100, 99, false],
  ])("%i tokens before and %i after: refused is %s", (tokensBefore, tokensAfter, isRefused) => {
    expect(objectionTo({ tokensBefore, tokensAfter }, one, one)?.[0]).toBe(
      isRefused ? "not-smaller" : undefined,
    );
  });
});

describe("legality", () => {
  const answered = transcript(user("go"), calls("a", "Bash", { n: 1 }), gets("a", "one"), assistant("done"));

  test("an edit in place is no objection", () => {
    expect(objectionAfter(answered, edited(result("a", "one"), "stub"))).toBeUndefined();
  });

  test("a result that goes without its call is refused, with the place and the reason", () => {
    expect(objectionAfter(answered, edited(result("a", "one"), "drop"))).toMatch(
      /^not-legal: unanswered-call at message 1: /,
    );
  });

  /** The harness itself left a call unanswered, and went on. */
  const broken = transcript(
    user("go"),
    assistant("first, words that may go"),
    user("yes"),
    calls("lost", "Bash", { n: 0 }),
    user("and then?"),
    calls("a", "Bash", { n: 1 }),
    gets("a", "one"),
    assistant("done"),
  );

  test("what the host got wrong before is not ours, also where it has moved", () => {
    expect(objectionAfter(broken, edited(result("a", "one"), "stub"))).toBeUndefined();
    expect(
      objectionAfter(
        broken,
        edited({ type: "text", text: "first, words that may go" }, "drop"),
        edited({ type: "text", text: "yes" }, "drop"),
      ),
    ).toBeUndefined();
  });

  test("the same mistake at another part is ours", () => {
    expect(objectionAfter(broken, edited(result("a", "one"), "drop"))).toMatch(/^not-legal: unanswered-call/);
  });

  test("equal parts are told apart by which they are", () => {
    const twice = transcript(
      user("go"),
      calls("lost", "Bash", { n: 1 }),
      user("again"),
      calls("b", "Bash", { n: 1 }),
      gets("b", "one"),
      assistant("done"),
    );
    expect(refOf(call("lost", "Bash", { n: 1 }))).toBe(refOf(call("b", "Bash", { n: 1 })));
    expect(objectionAfter(twice, edited(result("b", "one"), "stub"))).toBeUndefined();
    expect(objectionAfter(twice, edited(result("b", "one"), "drop"))).toMatch(/^not-legal: unanswered-call/);
  });

  test("another mistake at the same part is ours", () => {
    const sealed = transcript(
      user("go"),
      assistant(thinks("hm", "seal"), call("lost", "Bash")),
      user("and then?"),
      assistant("done"),
    );
    const said = objectionAfter(sealed, edited({ type: "text", text: "go" }, "stub"));
    expect(said).toMatch(/^not-legal: prefix-changed/);
  });

  test("a second answer to one call is the host's mistake, also where the call left with the first", () => {
    const twice = transcript(
      user("go"),
      calls("a", "Bash", { n: 1 }),
      gets("a", "one"),
      assistant("on"),
      user(result("a", "one more"), "and?"),
      assistant("done"),
    );
    const gone = [call("a", "Bash", { n: 1 }), result("a", "one")].map((part) => edited(part, "drop"));
    expect(objectionAfter(twice, ...gone)).toBeUndefined();
  });

  test("where the model spoke first before, it may still: its first words are not the mistake", () => {
    const headless = transcript(assistant("first"), calls("a", "Bash"), gets("a", "one"), user("on"));
    expect(objectionAfter(headless, edited({ type: "text", text: "first" }, "drop"))).toBeUndefined();
  });

  test("what was wrong there already does not excuse something else at the same part", () => {
    const lost = transcript(user("go"), calls("lost", "Bash"), user("on"), assistant("done"));
    expect(objectionAfter(lost, edited({ type: "text", text: "go" }, "drop"))).toMatch(
      /^not-legal: starts-with-assistant at message 0/,
    );
  });
});
