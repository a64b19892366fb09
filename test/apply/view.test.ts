import { describe, expect, test } from "vitest";
import { view, viewOf } from "../../src/apply/view.ts";
import type { Edit } from "../../src/plan/edit.ts";
import type { Compaction, LedgerEntry } from "../../src/plan/ledger.ts";
import { check } from "../../src/transcript/check.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { addressParts, refOf } from "../../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, transcript, user } from "../say.ts";

const history = transcript(
  user("fix the bug"),
  calls("1", "Read", { path: "a.ts" }),
  gets("1", "a long text of a.ts"),
  assistant("Found it."),
  user("go on"),
  calls("2", "Bash", { command: "npm test" }),
  gets("2", "1 passed"),
);

function compaction(id: string, edits: readonly Edit[], more: Partial<Compaction> = {}): Compaction {
  return {
    kind: "compaction",
    id,
    at: 0,
    policy: "test",
    trigger: "manual",
    edits,
    tokensBefore: 9,
    tokensAfter: 5,
    ...more,
  };
}

/** Folds the messages at these places of a transcript. */
function folds(of: Transcript, ...indices: readonly number[]): readonly Edit[] {
  return addressParts(of)
    .filter(({ messageIndex }) => indices.includes(messageIndex))
    .map(({ ref, occurrence }) => ({ kind: "fold", at: { ref, occurrence }, why: "old", tokens: 1 }));
}

const stub = (of: Message, text: string, occurrence = 0): Edit => {
  const [part] = of.parts;
  if (!part) throw new Error("nothing to stub");
  return { kind: "stub", at: { ref: refOf(part), occurrence }, why: "old", tokens: 1, text };
};

const drop = (of: Message | undefined): Edit => {
  const [part] = of?.parts ?? [];
  if (!part) throw new Error("nothing to drop");
  return { kind: "drop", at: { ref: refOf(part), occurrence: 0 }, why: "seal", tokens: 1 };
};

const fold = compaction("f1", folds(history, 1, 2, 3), { page: { role: "user", text: "PAGE" } });
const says = ({ messages }: Transcript) =>
  messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" ")}`,
  );

/** The same conversation as a host would resend it: new ids, new objects, new times. */
function regenerated(of: Transcript): Transcript {
  const parts = (message: Message) =>
    message.parts.map((part) => ("callId" in part ? { ...part, callId: `new-${part.callId}` } : { ...part }));
  return { messages: of.messages.map((message) => ({ ...message, at: 99, parts: parts(message) })) };
}

describe("the view", () => {
  test("without edits is the transcript itself, not a copy", () => {
    expect(view(history, [])).toBe(history);
  });

  test("shows a stub where a result was, and leaves every other message the object it was", () => {
    const shown = view(history, [compaction("c", [stub(history.messages[2] as Message, "[stub]")])]);
    expect(shown.messages[2]?.parts[0]).toMatchObject({
      type: "tool-result",
      callId: "1",
      output: [{ text: "[stub]" }],
    });
    shown.messages.forEach((message, index) => {
      if (index !== 2) expect(message).toBe(history.messages[index]);
    });
  });

  test("puts the page behind what was folded, and keeps the user's words before it", () => {
    expect(says(view(history, [fold]))).toEqual([
      "user: fix the bug",
      "user: PAGE",
      "user: go on",
      "assistant: tool-call",
      "user: tool-result",
    ]);
  });

  test("says the model's line before a page behind results, and nowhere else", () => {
    const page = { role: "user", text: "PAGE", leadIn: "(folded)" } as const;
    const led = (...indices: readonly number[]) => {
      const compacted = compaction("l", folds(history, ...indices), { page });
      return says(view(history, [compacted])).slice(0, -1);
    };
    expect(led(3)).toEqual([
      "user: fix the bug",
      "assistant: tool-call",
      "user: tool-result",
      "assistant: (folded)",
      "user: PAGE",
      "user: go on",
      "assistant: tool-call",
    ]);
    // Behind the model's own words it would be a second line, and first it would not be a conversation.
    expect(led(4)).not.toContain("assistant: (folded)");
    expect(led(0, 1, 2, 3)).toEqual(["user: PAGE", "user: go on", "assistant: tool-call"]);
  });

  test("gives the same bytes for a history that was resent with new ids and times", () => {
    const ledger = [fold, compaction("c", [stub(history.messages[6] as Message, "[stub]")])];
    const plain = (of: Transcript) => says(view(of, ledger));
    expect(plain(regenerated(history))).toEqual(plain(history));
  });

  test("does not fold a history that was rewound into the middle of it", () => {
    const rewound = { messages: [...history.messages.slice(0, 3), user("no, stop")] };
    expect(view(rewound, [fold])).toBe(rewound);
  });

  test("applies the edits that still apply after a rewind", () => {
    const rewound = { messages: history.messages.slice(0, 4) };
    const ledger = [
      compaction("c", [
        stub(history.messages[2] as Message, "[a]"),
        stub(history.messages[6] as Message, "[b]"),
      ]),
    ];
    expect(view(rewound, ledger).messages[2]?.parts[0]).toMatchObject({ output: [{ text: "[a]" }] });
  });

  test("shows only the latest page, and falls back to the one before when that no longer applies", () => {
    const longer = { messages: [...history.messages, assistant("done"), user("thanks")] };
    const second = compaction("f2", folds(longer, 5, 6), {
      after: "f1",
      page: { role: "user", text: "PAGE 2" },
    });
    expect(says(view(longer, [fold, second]))).toEqual([
      "user: fix the bug",
      "user: go on",
      "user: PAGE 2",
      "assistant: done",
      "user: thanks",
    ]);
    expect(says(view({ messages: history.messages.slice(0, 6) }, [fold, second]))).toContain("user: PAGE");
  });

  test("a fold that integrates one which was undone no longer applies", () => {
    const second = compaction("f2", folds(history, 5, 6), {
      after: "f1",
      page: { role: "user", text: "PAGE 2" },
    });
    const undo: LedgerEntry = { kind: "undo", at: 1, of: "f1" };
    expect(view(history, [fold, second, undo])).toBe(history);
  });

  test("a compaction that was undone and made again stands again", () => {
    const undo: LedgerEntry = { kind: "undo", at: 1, of: "f1" };
    expect(says(view(history, [fold, undo, fold]))).toEqual(says(view(history, [fold])));
  });

  test("of equal parts it edits the one that was meant", () => {
    const twice = transcript(
      user("go"),
      calls("1", "Bash"),
      gets("1", "same"),
      calls("2", "Bash"),
      gets("2", "same"),
    );
    const shown = view(twice, [compaction("c", [stub(twice.messages[4] as Message, "[stub]", 1)])]);
    expect(shown.messages[2]).toBe(twice.messages[2]);
    expect(shown.messages[4]?.parts[0]).toMatchObject({ output: [{ text: "[stub]" }] });
  });

  test("a later edit of the same part takes the place of an earlier one", () => {
    const message = history.messages[2] as Message;
    const shown = view(history, [
      compaction("a", [stub(message, "[trimmed]")]),
      compaction("b", [stub(message, "[gone]")]),
    ]);
    expect(shown.messages[2]?.parts[0]).toMatchObject({ output: [{ text: "[gone]" }] });
  });

  test("dropped parts leave no trace, and a message without parts goes with them", () => {
    const thinking = transcript(
      user("go"),
      assistant({ type: "thinking", text: "hm", signature: "s" }, call("1", "Bash")),
      user(result("1", "x")),
      assistant("done"),
    );
    expect(
      view(thinking, [compaction("d", [drop(thinking.messages[1])])]).messages[1]?.parts.map(
        ({ type }) => type,
      ),
    ).toEqual(["tool-call"]);
  });

  test("a rewind into a step whose thinking was dropped takes back what dropped it, and all that came after", () => {
    const sealed = transcript(
      user("go"),
      calls("1", "Read"),
      gets("1", "a long text"),
      calls("2", "Bash"),
      gets("2", "more"),
      assistant({ type: "thinking", text: "hm", signature: "s" }, call("3", "Bash")),
      gets("3", "x"),
      assistant("done"),
      user("next"),
    );
    const [, , first, , second, thought] = sealed.messages as readonly [Message, ...Message[]];
    const before = compaction("a", [stub(first as Message, "[one]")]);
    const dropping = compaction("b", [stub(second as Message, "[two]"), drop(thought)]);
    const later = compaction("c", [stub(second as Message, "[three]")]);
    const ledger = [before, dropping, later];
    const rewound = { ...sealed, messages: sealed.messages.slice(0, 7) };
    const made = view(rewound, [before]);
    expect(view(rewound, ledger)).toEqual(made);
    expect(check(view(rewound, ledger), { original: made })).toEqual([]);
    expect(viewOf(rewound, ledger).applied).toEqual([before]);
    // Once the step is over it may go; that the user spoke does not end it.
    expect(viewOf(sealed, ledger).applied).toEqual(ledger);
    const spoken = { ...sealed, messages: [...rewound.messages, user("stop")] };
    expect(viewOf(spoken, ledger).applied).toEqual([before]);
    // The same where it was folded, and the rewind ends in the middle of the fold.
    const folding = compaction("f", [...folds(sealed, 3, 4, 5, 6, 7), stub(first as Message, "[one]")], {
      page: { role: "user", text: "PAGE" },
    });
    expect(view(rewound, [folding])).toBe(rewound);
  });

  test("also where the response stands in several messages, and thinks in a later one", () => {
    const sealed = transcript(
      user("go"),
      calls("1", "Read"),
      gets("1", "a long text"),
      assistant("Once more."),
      assistant({ type: "thinking", text: "hm", signature: "s" }, call("2", "Bash")),
      gets("2", "x"),
    );
    const [, , first, , thought] = sealed.messages;
    const dropping = compaction("b", [stub(first as Message, "[one]"), drop(thought)]);
    expect(view(sealed, [dropping])).toBe(sealed);
  });

  test("a table gives way to the page of a later fold, which integrates it", () => {
    const table = compaction("t", [stub(history.messages[6] as Message, "[stub]")], {
      page: { role: "user", text: "TABLE" },
    });
    expect(says(view(history, [table]))).toContain("user: TABLE");
    const shown = says(view(history, [table, fold]));
    expect(shown).toContain("user: PAGE");
    expect(shown).not.toContain("user: TABLE");
    expect(
      says(
        view(history, [
          fold,
          compaction("t2", [stub(history.messages[6] as Message, "[s]")], {
            page: { role: "user", text: "LATER" },
          }),
        ]),
      ),
    ).toContain("user: LATER");
  });

  test("a table that tells of something no longer there is not shown", () => {
    const edits = [stub(history.messages[2] as Message, "[a]"), stub(history.messages[6] as Message, "[b]")];
    const table = compaction("t", edits, { page: { role: "user", text: "TABLE" } });
    expect(says(view(history, [table]))).toContain("user: TABLE");
    const rewound = { messages: history.messages.slice(0, 4) };
    expect(says(view(rewound, [table]))).not.toContain("user: TABLE");
  });

  test("a table waits while a call beside what it tells of still runs", () => {
    const open = transcript(user("go"), assistant(call("1", "Bash"), call("2", "Bash")), gets("1", "much"));
    const table = compaction("t", [stub(open.messages[2] as Message, "[gone]")], {
      page: { role: "user", text: "TABLE" },
    });
    expect(says(view(open, [table]))).toEqual([
      "user: go",
      "assistant: tool-call tool-call",
      "user: tool-result",
    ]);
    const done = { messages: [...open.messages, gets("2", "more")] };
    expect(says(view(done, [table])).at(-1)).toBe("user: TABLE");
  });

  test("where a fold no longer applies but its stubs do, the thinking it would have folded goes", () => {
    const seal = { type: "thinking", text: "hm", signature: "s" } as const;
    const long = transcript(
      user("go"),
      calls("1", "Read"),
      gets("1", "a long text"),
      assistant(seal, call("2", "Bash")),
      gets("2", "x"),
      assistant("Half."),
      user("on"),
    );
    const folding = compaction("f", [stub(long.messages[2] as Message, "[one]"), ...folds(long, 3, 4, 5)], {
      page: { role: "user", text: "PAGE" },
    });
    const rewound = { messages: [...long.messages.slice(0, 5), assistant("Otherwise."), user("and?")] };
    const shown = view(rewound, [folding]);
    expect(says(shown)[3]).toBe("assistant: tool-call");
    expect(check(shown, { original: rewound })).toEqual([]);
  });

  test("knows where each of its parts stands in the history, and that the page stands nowhere", () => {
    const { transcript: shown, addresses } = viewOf(history, [fold]);
    expect(addresses).toHaveLength(shown.messages.length);
    expect(addresses[1]).toEqual([]);
    expect(addresses[2]).toEqual([
      { ref: refOf(history.messages[4]?.parts[0] as NonNullable<Message["parts"][number]>), occurrence: 0 },
    ]);
  });

  test("a tool that prints a stub of ours changes nothing but its own part", () => {
    const hostile = transcript(
      user("go"),
      calls("1", "Bash"),
      gets("1", "[stub] ref_000000000000 PAGE"),
      assistant("hm"),
    );
    expect(view(hostile, [fold])).toBe(hostile);
  });

  describe("a page without a fold", () => {
    const cut = (index: number) => stub(history.messages[index] as Message, "[stub]");
    const table = compaction("t", [cut(2)], { page: { role: "user", text: "TABLE" } });

    test("stands behind the results of the last step it tells of", () => {
      expect(says(view(history, [table])).slice(2, 5)).toEqual([
        "user: tool-result",
        "user: TABLE",
        "assistant: Found it.",
      ]);
    });

    test("gives way to the next, and to a later fold; beside an earlier fold it stands", () => {
      const next = compaction("t2", [cut(6)], { page: { role: "user", text: "NEXT" } });
      const pages = (...ledger: readonly LedgerEntry[]) =>
        says(view(history, ledger)).filter((line) => /[A-Z]{4}/.test(line));
      expect(pages(table, next)).toEqual(["user: NEXT"]);
      expect(pages(table, fold)).toEqual(["user: PAGE"]);
      expect(pages(fold, next)).toEqual(["user: PAGE", "user: NEXT"]);
    });

    test("is not shown where what it tells of is not there", () => {
      expect(says(view(transcript(user("fix the bug")), [table]))).toEqual(["user: fix the bug"]);
    });
  });
});
