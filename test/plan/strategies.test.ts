import { expect, test } from "vitest";
import type { Edit } from "../../src/plan/edit.ts";
import { addressKey } from "../../src/plan/edit.ts";
import type { AgedResultsRule, Leave } from "../../src/plan/policy.ts";
import type { Proposal } from "../../src/plan/situation.ts";
import { proposeAgedResults } from "../../src/plan/strategies/aged-results.ts";
import { proposeGiantResults, stepInProgress } from "../../src/plan/strategies/giant-results.ts";
import { proposeRepeatedOutputs } from "../../src/plan/strategies/repeated-outputs.ts";
import { proposeSupersededReads } from "../../src/plan/strategies/superseded-reads.ts";
import { proposeThinking } from "../../src/plan/strategies/thinking.ts";
import { proposeDirectives, proposeUserPastes } from "../../src/plan/strategies/user-pastes.ts";
import { isStub, stubsIn } from "../../src/plan/stub.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { addressParts } from "../../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "../say.ts";
import { situation } from "./plans.ts";

const LONG = "a line of output that goes on for a while\n".repeat(40);
const stub: Leave = { kind: "stub" };
const places = (proposals: readonly Proposal[]) => proposals.map(({ place }) => place.messageIndex);
const textOf = (edit: Edit | undefined) => (edit && "text" in edit ? edit.text : "");

test("the earlier of two reads of one file becomes a stub, and the later stays", () => {
  const given = transcript(
    user("fix a.ts"),
    calls("1", "Read", { path: "a.ts" }),
    gets("1", `old ${LONG}`),
    calls("2", "Read", { path: "a.ts" }),
    gets("2", `new ${LONG}`),
  );
  const proposals = proposeSupersededReads(situation(given), { minTokens: 10, leave: stub });
  expect(places(proposals)).toEqual([2]);
  expect(proposals[0]?.since).toBe(3);
  expect(isStub(textOf(proposals[0]?.edit))).toBe(true);
  expect(stubsIn(textOf(proposals[0]?.edit))).toEqual([addressParts(given)[2]?.ref]);
});

test("a stub that would not be smaller is not made", () => {
  const given = transcript(
    user("fix"),
    calls("1", "Read", { path: "a.ts" }),
    gets("1", "old"),
    calls("2", "Read", { path: "a.ts" }),
    gets("2", "new"),
  );
  expect(proposeSupersededReads(situation(given), { minTokens: 0, leave: stub })).toEqual([]);
});

test("of equal outputs the last stays", () => {
  const given = transcript(
    user("run"),
    ...[1, 2, 3].flatMap((n) => [calls(`${n}`, "Bash", { n }), gets(`${n}`, LONG)]),
  );
  const proposals = proposeRepeatedOutputs(situation(given), { minTokens: 10, leave: stub });
  expect(places(proposals)).toEqual([2, 4]);
  expect(proposals.map(({ since }) => since)).toEqual([4, 6]);
});

const aged: AgedResultsRule = { strategy: "aged-results", when: "full", minTokens: 10, leave: stub };
const fourSteps = transcript(
  user("one"),
  calls("1", "Read"),
  gets("1", `1 ${LONG}`),
  calls("2", "Bash"),
  user(result("2", `2 ${LONG}`, true)),
  user("two"),
  calls("3", "Read"),
  { ...gets("3", `3 ${LONG}`), at: 0 },
  calls("4", "Read"),
  { ...gets("4", `4 ${LONG}`), at: 9 * 60_000 },
);

test.each([
  ["older than the last two steps", { keepSteps: 2 }, [2, 4]],
  ["older than the last turn", { keepTurns: 1 }, [2, 4]],
  ["all but the newest three", { keepResults: 3 }, [2]],
  ["errors kept", { keepSteps: 2, areErrorsKept: true }, [2]],
  ["of one tool", { keepSteps: 0, tools: ["Bash"] }, [4]],
  ["of all but one tool", { keepSteps: 1, exceptTools: ["Bash"] }, [2, 7]],
  ["older than five minutes", { keepMinutes: 5 }, [7]],
  ["only where it saves a lot", { keepSteps: 2, minSavedTokens: 50_000 }, []],
  ["only in a large prompt", { keepSteps: 2, above: { share: 0.9 } }, []],
  ["before the newest two responses", { keepAssistantMessages: 2 }, [2, 4]],
  ["fewer responses than stay", { keepAssistantMessages: 9 }, []],
  ["before the newest three messages", { keepMessages: 3 }, [2, 4]],
  ["the oldest, down to half", { downToShare: 0.5 }, [2, 4, 7]],
  ["the oldest, down to four fifths", { downToShare: 0.8 }, [2]],
  ["by name or by what they do", { tools: ["Bash"], does: ["read"] }, [2, 4, 7, 9]],
  ["by what they do alone", { does: ["run"] }, [4]],
  ["only where results come to much", { aboveResultTokens: 1_000_000 }, []],
  ["and they do", { aboveResultTokens: 100, keepResults: 3 }, [2]],
] as const)("aged results: %s", (_, rule, expected) => {
  const given = situation(fourSteps, { at: 10 * 60_000 });
  expect(places(proposeAgedResults(given, { ...aged, ...rule }))).toEqual(expected);
});

test("what a policy leaves may be words of its own, or head and tail", () => {
  const leaves = (leave: Leave) =>
    textOf(proposeAgedResults(situation(fourSteps), { ...aged, keepResults: 3, leave })[0]?.edit);
  expect(leaves({ kind: "text", text: "[Cleared for context space]" })).toBe("[Cleared for context space]");
  expect(leaves({ kind: "ends", headTokens: 20, tailTokens: 10 })).toMatch(
    /^⟦ref_.*⟧\n1 a line[\s\S]*\[… \d+ lines …\]/,
  );
  expect(leaves({ kind: "stub", format: "opaque" })).toMatch(/^⟦ref_\w{12} Use read_ref\.⟧$/);
  expect(leaves({ kind: "stub", format: "preview", previewChars: 10 })).toMatch(/⟧\n1 a line o$/);
});

test("a giant result is previewed when it arrives, older ones only when the context is full", () => {
  const rule = {
    strategy: "giant-results",
    when: "arrival",
    minTokens: 100,
    leave: { kind: "preview", maxTokens: 50 },
  } as const;
  const given = situation(fourSteps);
  const arrived = proposeGiantResults(given, rule, { fromMessage: stepInProgress(given) });
  expect(places(arrived)).toEqual([9]);
  expect(arrived[0]?.edit.kind).toBe("trim");
  expect(places(proposeGiantResults(given, rule, { fromMessage: 0 }))).toEqual([2, 4, 7, 9]);
});

test("what the model has just read back is shown whole, under whatever name its host gives our tool", () => {
  const rule = {
    strategy: "giant-results",
    when: "arrival",
    minTokens: 100,
    leave: { kind: "preview", maxTokens: 50 },
  } as const;
  for (const name of ["read_ref", "mcp__palimpsest__read_ref", "mcp_palimpsest_list_refs"]) {
    const given = situation(renamed(fourSteps, name));
    expect(proposeGiantResults(given, rule, { fromMessage: stepInProgress(given) }), name).toEqual([]);
    expect(places(proposeGiantResults(given, rule, { fromMessage: 0 })), name).toEqual([2, 4, 7]);
  }
});

function renamed(transcript: Transcript, name: string): Transcript {
  const messages = transcript.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.type === "tool-call" ? { ...part, name } : part)),
  }));
  return { ...transcript, messages };
}

test("pinned parts are left alone, with their pair", () => {
  const [, pinnedCall] = addressParts(fourSteps);
  const pinned = new Set([addressKey(pinnedCall as NonNullable<typeof pinnedCall>)]);
  expect(places(proposeAgedResults(situation(fourSteps, { pinned }), { ...aged, keepSteps: 2 }))).toEqual([
    4,
  ]);
});

test("sealed thinking behind the first edit goes; before it, and unsealed, it stays", () => {
  const given = situation(
    transcript(
      user("hi"),
      assistant(thinks("a", "seal"), call("1", "Read")),
      gets("1", LONG),
      assistant(thinks("b", "seal"), thinks("open"), call("2", "Read")),
      gets("2", LONG),
      assistant(thinks("c", "seal"), "done"),
      user("thanks"),
    ),
  );
  const edited = proposeAgedResults(given, { ...aged, keepSteps: 2 });
  expect(proposeThinking(given, edited).map(({ place }) => place)).toEqual([
    { messageIndex: 3, partIndex: 0 },
    { messageIndex: 5, partIndex: 0 },
  ]);
  expect(proposeThinking(given, [])).toEqual([]);
});

const paste = `Look at this log.\n${LONG}\nNever touch the database.\n${LONG}\nWhat is wrong?`;

test("a huge paste keeps head, tail and what it orders; the newest message is left alone", () => {
  const rule = {
    strategy: "user-pastes",
    when: "full",
    minTokens: 200,
    headTokens: 20,
    tailTokens: 10,
    isReducedToDirectives: true,
  } as const;
  const given = situation(transcript(user(paste), assistant("ok"), user(paste)));
  const proposals = proposeUserPastes(given, rule);
  expect(places(proposals)).toEqual([0]);
  const text = textOf(proposals[0]?.edit);
  expect(text).toContain("Look at this log.");
  expect(text).toContain("What is wrong?");
  expect(text).toContain("Never touch the database.");
});

test("when the user's words no longer fit, the oldest keep their directives, and only as many as needed", () => {
  const given = situation(
    transcript(user(paste), assistant("ok"), user(paste), assistant("ok"), user("go on")),
  );
  const [first, ...more] = proposeDirectives(given, 100);
  expect(more).toEqual([]);
  expect(textOf(first?.edit)).toMatch(
    /^⟦ref_[^⟧]*⟧\nNever touch the database\.\nWhat is wrong\?$|^⟦ref_[^⟧]*⟧[\s\S]*Never touch the database\./,
  );
  expect(places(proposeDirectives(given, 100_000))).toEqual([0, 2]);
});
