import { describe, expect, test } from "vitest";
import { assistant, call, calls, gets, system, thinks, transcript, user } from "../say.ts";
import { planFor, totalOf } from "./plans.ts";

const LINE = "the queue drains before the server is closed and every worker has answered once more. ";
const step = (n: number, repeats = 20) => [
  calls(`c${n}`, "Bash", { command: `make target-${n}` }),
  gets(`c${n}`, `${n} ${LINE.repeat(repeats)}`),
];
const steps = (count: number, repeats?: number) =>
  Array.from({ length: count }, (_, n) => step(n, repeats)).flat();
const asked = { trigger: "manual", windowTokens: 12_000, outputTokens: 3_000 } as const;

describe("one budget, asked for", () => {
  test("a last step larger than the target leaves room for a page, and is shortened, not lost", () => {
    const given = transcript(user("go"), ...steps(30), ...step(99, 400));
    const plan = planFor(given, asked);
    expect(plan.pageTokens).toBeGreaterThan(1_500);
    expect(plan.edits.at(-1)?.kind).toBe("trim");
  });

  test.each([0.7, 0.8, 0.9, 0.97])("a named size is kept, also one near what there is: %d of it", (share) => {
    const short = transcript(user("go"), ...steps(12));
    const giant = transcript(user("go"), ...steps(6), ...step(98, 4_000), ...steps(6));
    for (const given of [short, giant]) {
      const targetTokens = Math.round(share * totalOf(given));
      const plan = planFor(given, {
        trigger: "manual",
        windowTokens: 200_000,
        outputTokens: 8_000,
        targetTokens,
      });
      const saved = plan.edits.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(totalOf(given) - saved + (plan.page ? (plan.pageTokens ?? 0) : 0)).toBeLessThanOrEqual(
        targetTokens,
      );
    }
  });

  const room = { trigger: "manual", windowTokens: 40_000, outputTokens: 8_000 } as const;
  test("a giant result is shortened also before a call the model had thought about: that step folds for it, however small it is", () => {
    const waiting = assistant(thinks("look again", "seal"), call("c9", "Bash", { command: "make" }));
    const given = transcript(user("go"), ...step(98, 8_000), waiting, gets("c9", "ok"));
    const plan = planFor(given, { ...room, isAtRest: true });
    expect(plan.edits.map(({ kind }) => kind)).toContain("trim");
    expect(plan.page).toBeDefined();
  });

  test("a system prompt among the messages is not counted against what is asked for", () => {
    const work = [user("go"), ...steps(30)];
    const rules = system(LINE.repeat(200));
    const more = totalOf(transcript(rules));
    const plain = planFor(transcript(...work), asked);
    const under = planFor(transcript(rules, ...work), {
      ...asked,
      windowTokens: asked.windowTokens + Math.ceil(more / 0.3),
    });
    expect(under.pageTokens).toBeGreaterThan(plain.pageTokens ?? 0);
  });

  test("what the harness said first gives way before a word of the user does", () => {
    const rules = { type: "text", text: LINE.repeat(150), synthetic: true } as const;
    const given = transcript(user(rules), user("use tabs and never rebase"), ...steps(30));
    const plan = planFor(given, asked);
    const trimmed = plan.edits.filter(({ why }) => why === "the words no longer fit");
    expect(trimmed.map(({ kind }) => kind)).toEqual(["trim"]);
    expect(plan.edits.some(({ why }) => why === "the user's words no longer fit")).toBe(false);
  });

  test("old results fold into a page that can quote them; they do not become stubs", () => {
    const work = [...steps(4, 200), ...Array.from({ length: 16 }, (_, n) => assistant(`thought ${n}`))];
    const given = transcript(user("go"), ...work, ...steps(14, 1));
    const plan = planFor(given, { ...asked, windowTokens: 60_000 });
    expect(plan.folded.length).toBeGreaterThan(0);
    expect(plan.edits.filter(({ kind }) => kind === "stub")).toEqual([]);
  });
});
