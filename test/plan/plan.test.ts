import { expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import { addressKey } from "../../src/plan/edit.ts";
import { makePlan, type PlanInput } from "../../src/plan/plan.ts";
import { none } from "../../src/plan/policies/none.ts";
import { nucleic } from "../../src/plan/policies/nucleic.ts";
import { palimpsest } from "../../src/plan/policies/palimpsest.ts";
import type { Policy } from "../../src/plan/policy.ts";
import { check } from "../../src/transcript/check.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { addressParts } from "../../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "../say.ts";
import { applied, committed, planFor, planInput, small, totalOf } from "./plans.ts";

const LONG = "some words of output, nothing special\n".repeat(30);

/** A step of about 300 tokens. */
const step = (n: number): readonly Message[] => [
  assistant(`step ${n}`, call(`c${n}`, "Bash", { command: `make ${n}` })),
  gets(`c${n}`, `${n} ${LONG}`),
];
const steps = (count: number, from = 0) => Array.from({ length: count }, (_, n) => step(from + n)).flat();

const said = ({ messages }: Transcript) =>
  messages.map(
    ({ role, parts }) =>
      `${role}:${parts.map((part) => (part.type === "text" ? part.text : part.type)).join("+")}`,
  );

const fold: Partial<PlanInput> = { policy: { ...small, prune: [] }, windowTokens: 4_000, outputTokens: 0 };

test("over the trigger the oldest steps fold down to the target; the user's words and the newest steps stay", () => {
  const given = transcript(user("build it, never use make clean"), ...steps(12), user("and now?"));
  const plan = planFor(given, fold);
  const view = applied(given, plan);
  expect(totalOf(given)).toBeGreaterThan(0.8 * 4_000);
  expect(totalOf(view)).toBeLessThanOrEqual(0.5 * 4_000);
  expect(totalOf(view)).toBeGreaterThan(0.3 * 4_000);
  expect(said(view).slice(0, 2)).toEqual(["user:build it, never use make clean", "user:p"]);
  expect(said(view).at(-1)).toBe("user:and now?");
  expect(check(view, { original: given })).toEqual([]);
  expect(plan.because).toBe("the context is full; the oldest steps fold");
});

test("below the trigger nothing folds, but what was asked for does, as far as the tail allows", () => {
  const given = transcript(user("go"), ...steps(4), assistant("done"), user("thanks"));
  expect(planFor(given, fold).edits).toEqual([]);
  for (const trigger of ["manual", "agent", "overflow"] as const) {
    const view = applied(given, planFor(given, { ...fold, trigger }));
    expect(said(view)).toEqual([
      "user:go",
      "user:p",
      ...said(transcript(...steps(2, 2))),
      "assistant:done",
      "user:thanks",
    ]);
  }
});

test("a cut prefers the start of a turn near the target", () => {
  const given = transcript(user("one"), ...steps(7), user("two"), ...steps(5, 7), user("three"));
  const { folded } = planFor(given, fold);
  expect(folded.at(-1)).toBe(14);
});

test("between turns a lower mark holds than in the middle of work", () => {
  const work = [user("go"), ...steps(9)];
  const between = transcript(...work, assistant("done"), user("next"));
  const total = totalOf(between);
  const window = { ...fold, windowTokens: Math.round(total / 0.75) };
  expect(planFor(between, window).folded).not.toEqual([]);
  expect(planFor(transcript(...work, calls("x", "Bash"), gets("x", "ok")), window).folded).toEqual([]);
});

test("what is pinned stays, with the step it belongs to", () => {
  const given = transcript(user("go"), ...steps(12), user("on"));
  const [, , pinnedCall] = addressParts(given);
  const pinned = new Set([addressKey(pinnedCall as NonNullable<typeof pinnedCall>)]);
  const view = applied(given, planFor(given, { ...fold, pinned }));
  expect(said(view).slice(0, 3)).toEqual(["user:go", "assistant:step 0+tool-call", "user:tool-result"]);
  expect(check(view, { original: given })).toEqual([]);
});

test("words beside a result stay when the result folds", () => {
  const mixed = user(result("m", LONG), "by the way: use tabs");
  const given = transcript(user("go"), calls("m", "Read"), mixed, ...steps(12), user("on"));
  expect(said(applied(given, planFor(given, fold)))[1]).toBe("user:by the way: use tabs");
});

test("what the harness said before the model spoke stays; reminders later on fold", () => {
  const rules = { type: "text", text: "<rules>", synthetic: true } as const;
  const reminder = { type: "text", text: "<reminder>", synthetic: true } as const;
  const given = transcript(
    user(rules),
    user("go", rules),
    ...step(0),
    user(reminder),
    ...steps(12, 1),
    user("on"),
  );
  const view = said(applied(given, planFor(given, fold)));
  expect(view.slice(0, 2)).toEqual(["user:<rules>", "user:go+<rules>"]);
  expect(view.join()).not.toContain("<reminder>");
});

test("calls still open at the end never fold", () => {
  const given = transcript(user("go"), ...steps(12), calls("open", "Bash", { command: "sleep" }));
  const view = applied(given, planFor(given, { ...fold, trigger: "manual" }));
  expect(said(view).at(-1)).toBe("assistant:tool-call");
  expect(check(view, { as: "record", original: given })).toEqual([]);
});

const thoughtful = (n: number): readonly Message[] => [
  assistant(thinks(`thought ${n}`, `seal ${n}`), call(`c${n}`, "Bash", { command: `make ${n}` })),
  gets(`c${n}`, `${n} ${LONG}`),
];
const thinking = transcript(user("go"), ...Array.from({ length: 12 }, (_, n) => thoughtful(n)).flat());

const tight = { ...fold, windowTokens: 3_000 };

test("while the model waits for results it thought about, the fold waits, up to a mark", () => {
  const windowTokens = Math.round(totalOf(thinking) / 0.85);
  const plan = planFor(thinking, { ...fold, windowTokens });
  expect(plan.edits).toEqual([]);
  expect(plan.because).toBe("the model waits for results it thought about");
});

test("over that mark the step in progress folds too, and its results are carried", () => {
  const plan = planFor(thinking, tight);
  const view = applied(thinking, plan);
  expect(said(view).at(-1)).toBe("user:p");
  expect(plan.carried).toEqual([{ messageIndex: 24, partIndex: 0 }]);
  expect(check(view, { original: thinking })).toEqual([]);
});

test("where older steps stay, a line of the model parts their results from the page: it no longer waits for them", () => {
  const plan = planFor(thinking, tight);
  const view = applied(thinking, plan);
  expect(said(view).slice(-4)).toEqual([
    "assistant:tool-call",
    "user:tool-result",
    "assistant:(Steps of mine were folded; the page that follows tells of them.)",
    "user:p",
  ]);
  expect(check(view, { original: thinking })).toEqual([]);
  const unled = applied(thinking, { ...plan, page: { role: "user" } });
  expect(check(unled, { original: thinking }).map(({ code }) => code)).toEqual(["missing-thinking"]);
});

test("that line is there too behind a thought that was stopped, which ends no wait", () => {
  const lost = [assistant(thinks("let me look", "seal x")), gets("never-asked", "orphan")];
  const given = transcript(...thinking.messages.slice(0, -2), ...lost, ...thinking.messages.slice(-2));
  const plan = planFor(given, tight);
  expect(plan.page).toHaveProperty("leadIn");
  const problems = check(applied(given, plan), { original: given }).map(({ code }) => code);
  expect(problems.filter((code) => code !== "orphan-result")).toEqual([]);
});

test("no such line where the model's own words stand before the page, or no step stays", () => {
  const answered = transcript(
    user("go"),
    ...steps(11),
    assistant("Half done."),
    user("then go"),
    ...thoughtful(99),
  );
  const plan = planFor(answered, tight);
  expect(said(applied(answered, plan)).slice(-3)).toEqual(["assistant:Half done.", "user:then go", "user:p"]);
  expect(plan.page).toEqual({ role: "user" });
  const alone = planFor(thinking, { ...tight, targetTokens: 1 });
  expect(said(applied(thinking, alone))).toEqual(["user:go", "user:p"]);
  expect(alone.page).toEqual({ role: "user" });
});

test("a page that stands last because of an earlier fold is the user's, whatever folds now", () => {
  const policy: Policy = { ...small, prune: [], placement: { role: "assistant" } };
  const first = planFor(thinking, { ...tight, policy });
  const second = makePlan(planInput(thinking, { ...tight, policy, windowTokens: 1_000 }, committed(first)));
  expect(Math.max(...second.folded)).toBeLessThan(24);
  expect(second.page).toMatchObject({ role: "user" });
  const { transcript: view } = viewOf(thinking, committed(second, committed(first)));
  expect(said(view).at(-1)).toBe("user:p");
  expect(check(view, { original: thinking })).toEqual([]);
});

test("what the user says behind the results does not end the wait: providers join the two", () => {
  const given = transcript(...thinking.messages, user("on"));
  const windowTokens = Math.round(totalOf(given) / 0.85);
  expect(planFor(given, { ...fold, windowTokens }).because).toBe(
    "the model waits for results it thought about",
  );
  const plan = planFor(given, tight);
  expect(plan.carried).toEqual([{ messageIndex: 24, partIndex: 0 }]);
  expect(said(applied(given, plan)).slice(-2)).toEqual(["user:p", "user:on"]);
  expect(check(applied(given, plan), { original: given })).toEqual([]);
});

test("a step whose calls still run neither folds nor loses its thinking, however full it is", () => {
  const open = assistant(
    thinks("now", "seal"),
    call("open", "Bash", { command: "sleep" }),
    call("done", "Bash"),
  );
  const given = transcript(...thinking.messages, assistant("Next."), user("go on"), open, gets("done", LONG));
  for (const trigger of ["auto", "manual", "overflow"] as const) {
    const view = applied(given, planFor(given, { ...tight, trigger }));
    expect(said(view).slice(-2)).toEqual(["assistant:thinking+tool-call+tool-call", "user:tool-result"]);
    expect(check(view, { as: "record", original: given })).toEqual([]);
  }
});

test("at rest, calls that still run are never answered: the step folds with them", () => {
  const open = assistant(thinks("now", "seal"), call("open", "Bash", { command: "sleep" }));
  const given = transcript(...thinking.messages, assistant("Next."), user("go on"), open);
  const plan = planFor(given, { ...tight, trigger: "manual", isAtRest: true });
  const view = applied(given, plan);
  expect(said(view).slice(-2)).toEqual(["user:go on", "user:p"]);
  expect(plan.carried).toEqual([]);
  expect(check(view, { original: given })).toEqual([]);
});

test("words behind the results of a step that folds stay, also where the user's words fold", () => {
  const given = transcript(...thinking.messages, user("on"));
  const policy: Policy = { ...small, prune: [], tail: { folds: "everything" } };
  expect(said(applied(given, planFor(given, { ...tight, policy, trigger: "manual" }))).at(-1)).toBe(
    "user:on",
  );
});

test("a response that thought and called nothing waits for nothing", () => {
  const given = transcript(user("go"), ...steps(12), assistant(thinks("so", "seal"), "Done."), user("on"));
  expect(planFor(given, fold).because).toBe("the context is full; the oldest steps fold");
});

test("while the model waits, nothing before its results is cleared, and nothing of its calls", () => {
  const always = { when: "request", minTokens: 0 } as const;
  const inputs = {
    strategy: "call-inputs",
    does: ["run"],
    maxChars: 3,
    keepChars: 1,
    mark: "",
    keepMessages: 0,
  } as const;
  const aged = { strategy: "aged-results", keepResults: 1, leave: { kind: "text", text: "[x]" } } as const;
  const policy: Policy = {
    ...none,
    prune: [
      { ...inputs, ...always },
      { ...aged, ...always },
    ],
  };
  const waiting = transcript(user("go"), ...steps(3), ...thoughtful(9));
  expect(planFor(waiting, { policy }).edits).toEqual([]);
  const over = transcript(...waiting.messages, assistant("Done."), user("on"));
  expect(planFor(over, { policy }).edits.length).toBeGreaterThan(3);
});

test("a pinned step between steps that fold is parted from the page too: whoever rewinds to it finds it answered", () => {
  const given = transcript(user("go"), ...steps(12), assistant("Done."), user("on"));
  const pinned = new Set(
    addressParts(given)
      .filter(({ messageIndex }) => messageIndex === 5 || messageIndex === 6)
      .map(addressKey),
  );
  expect(planFor(given, { ...fold, pinned }).page).toHaveProperty("leadIn");
  expect(planFor(given, fold).page).not.toHaveProperty("leadIn");
});

test("at the end of the context the page needs no line behind a response that stays, nor stands there where the model would speak first", () => {
  const end: Policy = { ...small, prune: [], placement: { role: "user", at: "end" } };
  const given = transcript(user("go"), ...steps(12));
  const { page } = planFor(given, { ...fold, policy: end });
  expect(page).toMatchObject({ role: "user", behind: expect.anything() });
  expect(page).not.toHaveProperty("leadIn");
  const all: Policy = { ...end, tail: { ...end.tail, folds: "everything" } };
  const plan = planFor(given, { ...fold, policy: all });
  expect(plan.page).not.toHaveProperty("behind");
  expect(said(applied(given, plan))[0]).toBe("user:p");
});

test("a table is shown only where more was cleared than it takes", () => {
  const aged = {
    strategy: "aged-results",
    when: "full",
    minTokens: 0,
    keepResults: 0,
    leave: { kind: "text", text: "[x]" },
  } as const;
  const summary = { ...small.summary, table: { share: 0.1 } };
  const policy: Policy = { ...small, prune: [aged], tail: { folds: "nothing" }, summary };
  const plan = (count: number) =>
    planFor(transcript(user("go"), ...steps(count), assistant("Done."), user("on")), {
      ...fold,
      policy,
      trigger: "manual",
    });
  expect(plan(1).edits).toHaveLength(1);
  expect(plan(12).page).toMatchObject({ role: "user" });
  const few = transcript(
    user("go"),
    calls("s", "Bash"),
    gets("s", LONG.slice(0, 400)),
    assistant("Done."),
    user("on"),
  );
  const little = planFor(few, { ...fold, policy, trigger: "manual" });
  expect([little.edits.length, little.page]).toEqual([1, undefined]);
});

test("a large system prompt is no reason to shorten what the user said", () => {
  const essay = `${"I would like to have it in green, as we said. ".repeat(12)}\nNever delete the fixtures.`;
  const given = {
    ...transcript(user(essay), ...steps(6), user("on")),
    system: [{ type: "text" as const, text: LONG.repeat(30) }],
  };
  const plan = planFor(given, {
    ...fold,
    policy: {
      ...small,
      prune: small.prune
        .filter(({ strategy }) => strategy === "user-pastes")
        .map((rule) => ({ ...rule, minTokens: 5_000 })),
    },
  });
  expect(plan.edits.some(({ kind }) => kind === "fold")).toBe(true);
  expect(plan.edits.filter(({ kind }) => kind === "trim")).toEqual([]);
});

test("once the model has spoken, the thinking of the steps that stay is dropped", () => {
  const given = transcript(...thinking.messages, assistant("Done."), user("on"));
  const plan = planFor(given, fold);
  expect(plan.edits.some(({ kind }) => kind === "drop")).toBe(true);
  expect(check(applied(given, plan), { original: given })).toEqual([]);
});

test("clearing alone is enough where it reaches the target", () => {
  const read = (n: number) => [calls(`r${n}`, "Read", { path: "a.ts" }), gets(`r${n}`, `${n} ${LONG}`)];
  const given = transcript(user("go"), ...Array.from({ length: 12 }, (_, n) => read(n)).flat(), user("on"));
  const policy = { ...small, prune: small.prune.filter(({ strategy }) => strategy !== "giant-results") };
  const plan = planFor(given, { ...fold, policy });
  expect(plan.folded).toEqual([]);
  expect(new Set(plan.edits.map(({ why }) => why))).toEqual(new Set(["read again"]));
  expect(totalOf(applied(given, plan))).toBeLessThanOrEqual(2_000);
});

test("a giant result is shortened when it arrives, and the thinking before it stays valid", () => {
  const given = transcript(
    user("go"),
    assistant(thinks("hm", "seal"), call("1", "Bash")),
    gets("1", LONG.repeat(60)),
  );
  const plan = planFor(given, { trigger: "arrival", policy: palimpsest });
  expect(plan.edits.map(({ kind }) => kind)).toEqual(["trim"]);
  expect(check(applied(given, plan), { original: given })).toEqual([]);
  expect(planFor(transcript(user("go"), ...steps(3)), { trigger: "arrival" }).edits).toEqual([]);
});

test("when the user's words alone do not fit, the oldest keep their directives", () => {
  const essay = `${"It was a dark and stormy night. ".repeat(60)}\nNever delete the fixtures.`;
  const given = transcript(
    ...Array.from({ length: 9 }, () => [user(essay), assistant("noted")]).flat(),
    user("go on"),
  );
  const view = applied(given, planFor(given, { ...fold, policy: small }));
  expect(totalOf(view)).toBeLessThan(4_000);
  expect(said(view)[0]).toMatch(/^user:⟦ref_[^⟧]*⟧[\s\S]*Never delete the fixtures\.$/);
  expect(said(view).at(-1)).toBe("user:go on");
});

test("nucleic: head 2, tail 6, one assistant message between, the user's words of the middle folded", () => {
  const given = transcript(
    user("go"),
    assistant("sure"),
    user("secret"),
    ...steps(12),
    assistant("done"),
    user("next"),
  );
  const plan = planFor(given, { policy: nucleic, windowTokens: 3_000 });
  expect(said(applied(given, plan))).toEqual([
    "user:go",
    "assistant:sure",
    "assistant:p",
    ...said(transcript(...steps(2, 10))),
    "assistant:done",
    "user:next",
  ]);
});

test("nucleic: a result kept in the head is cleared once it is older than four steps", () => {
  const given = transcript(user("go"), ...step(0), ...steps(12, 1), user("next"));
  const plan = planFor(given, { policy: nucleic, windowTokens: 3_000 });
  const [, , kept] = applied(given, plan).messages;
  expect(kept?.parts[0]).toMatchObject({ output: [{ type: "text", text: "[Cleared for context space]" }] });
});

test("none never does anything, however full, whoever asks", () => {
  const given = transcript(user("go"), ...steps(12), user("on"));
  for (const trigger of ["auto", "manual", "agent", "idle", "overflow", "arrival"] as const)
    expect(planFor(given, { policy: none, windowTokens: 100, trigger }).edits).toEqual([]);
});

test("a page is the user's where it would stand first or last, and an acknowledgement never ends the conversation", () => {
  const placement = { role: "assistant", acknowledgement: "Understood." } as const;
  const policy: Policy = { ...small, prune: [], placement };
  expect(planFor(thinking, { ...tight, policy }).page).toMatchObject({ role: "user" });
  expect(planFor(thinking, { ...tight, policy }).page).not.toHaveProperty("acknowledgement");
  const given = transcript(user("go"), ...steps(12), user("on"));
  expect(planFor(given, { ...fold, policy }).page).toEqual(placement);
});
