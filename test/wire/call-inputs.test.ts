/** Long arguments of old calls, cut: every wire writes the call as it was cut, in its own spelling, and no other. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/apply/view.ts";
import type { CallInputsRule, Policy } from "../../src/plan/policy.ts";
import { check } from "../../src/transcript/check.ts";
import type { Json } from "../../src/transcript/json.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { bodyWires, fileWireNamed } from "../../src/wire/wires.ts";
import { written } from "../contracts/wire.ts";
import { committed, planFor, small } from "../plan/plans.ts";
import { realSessions, SKIPPED } from "../real-sessions.ts";
import { assistant, calls, gets, transcript, user } from "../say.ts";

const rule: CallInputsRule = {
  strategy: "call-inputs",
  when: "full",
  minTokens: 0,
  does: ["write", "edit", "run"],
  maxChars: 100,
  keepChars: 10,
  mark: "…(cut)",
  keepMessages: 2,
};
const policy: Policy = { ...small, prune: [rule], tail: { folds: "nothing" } };

const inputsOf = ({ messages }: Transcript): readonly Json[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : [])));

const cut = (given: Transcript) =>
  viewOf(given, committed(planFor(given, { policy, trigger: "manual" }))).transcript;

const CODE = "const answer = compute(42);\n".repeat(20);
const given = transcript(
  user("write it"),
  calls("1", "Write", { file_path: "a.ts", content: CODE }),
  gets("1", "ok"),
  calls("2", "Read", { file_path: "b.ts" }),
  gets("2", CODE),
  assistant("Done."),
  user("and now?"),
);

test.each(bodyWires.map((wire) => [wire.name, wire] as const))("%s", (_, wire) => {
  const read = wire.read(wire.write(given));
  const shown = cut(read);
  expect(inputsOf(shown)).toEqual([
    { file_path: "a.ts", content: "const answ…(cut)" },
    { file_path: "b.ts" },
  ]);
  expect(check(shown)).toEqual([]);
  expect(inputsOf(wire.read(wire.write(shown)))).toEqual(inputsOf(shown));
});

test("no half of a surrogate pair is left over", () => {
  const smiling = transcript(
    user("write it"),
    calls("1", "Write", { path: "a.ts", content: `123456789${"😀".repeat(80)}` }),
    gets("1", "ok"),
    assistant("Done."),
    user("and now?"),
  );
  expect(inputsOf(cut(smiling))).toEqual([{ path: "a.ts", content: "123456789…(cut)" }]);
});

const HARNESSES = ["claude-code", "codex", "opencode", "pi"];
const files = HARNESSES.map((wire) => realSessions.find((session) => session.wire === wire));

describe.skipIf(realSessions.length === 0)(`real sessions (${SKIPPED} otherwise)`, () => {
  test.each(files.flatMap((file) => (file ? [[file.wire, file] as const] : [])))("%s", (name, { path }) => {
    const wire = fileWireNamed(name);
    const source = sourceOf(readFileSync(path));
    const session = wire.read(source);
    const shown = cut(session.seen);
    expect(inputsOf(shown)).not.toEqual(inputsOf(session.seen));
    const again = wire.read(sourceOf(written(wire, session, source, shown)));
    expect(inputsOf(again.seen)).toEqual(inputsOf(shown));
  });
});
