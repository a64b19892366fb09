import { expect, test } from "vitest";
import { atomsIn, proseWords } from "../../arena/probes/atoms.ts";
import { Askable } from "../../arena/probes/facts.ts";
import { mineProbes } from "../../arena/probes/mine.ts";
import { mineErrors } from "../../arena/probes/mine-results.ts";
import { mineUpdates } from "../../arena/probes/mine-updates.ts";
import type { Probe, ProbeType } from "../../arena/probes/probe.ts";
import type { Message } from "../../src/transcript/message.ts";
import { assistant, call, calls, gets, result, user } from "../say.ts";

const values = (line: string) => atomsIn(line).map(({ kind, value }) => `${kind} ${value}`);

test("exact things are read whole: a path by its last part, no number inside a longer one", () => {
  expect(values("see src/plan/rent.ts and https://x.dev/a?b=1, commit 1f2e3d4 fixes #42")).toEqual([
    "path rent.ts",
    "url https://x.dev/a?b=1",
    "hash 1f2e3d4",
    "issue #42",
  ]);
  expect(values("loadConfig listens on 8080, max_retries is 7, v1.2.3")).toEqual([
    "identifier loadConfig",
    "number 8080",
    "identifier max_retries",
    "number 1.2.3",
  ]);
  expect(values("1257")).toEqual(["number 1257"]);
});

test("the number of a line in a listing is a place, not a fact", () => {
  expect(values("  120→const port = 5432")).toEqual(["number 5432"]);
  expect(values("src/a.ts:120: const port = 5432")).toContain("number 5432");
  expect(values("src/a.ts:120: const port = 5432")).not.toContain("number 120");
});

test("words to ask by are prose: no names, no function words", () => {
  expect(proseWords("The retry budget of loadConfig must not exceed this value")).toEqual([
    "retry",
    "budget",
    "must",
    "exceed",
    "value",
  ]);
});

const SESSION: readonly Message[] = [
  user("Fix the flaky retry test. Never touch src/legacy.ts."),
  calls("1", "Bash", { command: "npm test" }),
  user(
    result(
      "1",
      "Exit code 1\nTypeError: cannot read retryBudget of undefined\nTests total: 17 broken suites",
      true,
    ),
  ),
  assistant(
    "The root cause is that the retry budget starts empty, so I will seed it instead of guarding every read.",
    call("2", "Edit", {
      file_path: "/repo/src/retry.ts",
      old_string: "let budget",
      new_string: "let seededBudget = 4096",
    }),
  ),
  gets("2", "edited"),
  calls("3", "Bash", { command: "npm test" }),
  gets("3", "Exit code 0\nTests total: 19 broken suites\nserver listens on port 5432 for metrics"),
  // The cut is here.
  assistant("The port is 5432, and seededBudget holds."),
];

const mined = mineProbes({ messages: SESSION, from: 7, to: 8 });
const of = (type: ProbeType) => mined.filter((probe) => probe.type === type);
const inSet = (set: Probe["sets"][number]) =>
  mined.filter(({ sets }) => sets.includes(set)).map(({ value }) => value);

test("where an item stands in its list is no value that another replaced", () => {
  const output = (n: number) =>
    `ok ${n} - sends the same bytes at every attempt\nsuites that broke today: ${n}`;
  const messages = [
    user("go"),
    ...[9, 10].flatMap((n) => [calls(`${n}`, "Bash", { command: "npm test" }), gets(`${n}`, output(n))]),
  ];
  expect(mineUpdates(messages).map(({ value, stale }) => [value, stale])).toEqual([["10", ["9"]]]);
});

test("what another command said of itself replaces nothing; the same one run again does, however its end is cut", () => {
  const run = (id: string, command: string, text: string) => [calls(id, "Bash", { command }), gets(id, text)];
  const updates = (...steps: readonly (readonly [string, string])[]) => {
    const messages = steps.flatMap(([command, text], at) => run(`${at}`, command, text));
    return mineUpdates([user("go"), ...messages]).map(({ value, stale }) => [value, stale]);
  };
  expect(
    updates(["grep -rn a src", "Found 4 matches here"], ["grep -rn b src", "Found 9 matches here"]),
  ).toEqual([]);
  const twice = ["npm test 2>&1 | tail -20", "npm test | tail -5"] as const;
  expect(updates([twice[0], "4 suites broken"], [twice[1], "2 suites broken"])).toEqual([["2", ["4"]]]);
  const about = "Original token count: ";
  expect(updates([twice[0], `${about}4000`], [twice[1], `${about}2000`])).toEqual([]);
});

test("an error is asked for where its question has one answer: not by a line of dots, nor by milliseconds", () => {
  const runs = ["1.41", "2.71"].map((seconds) => `== tests finished: 9 exceptions, in ${seconds} seconds ==`);
  const outputs = [".. [FAIL]", ...runs, "ValueError: cannot parse the manifest of hookline"];
  const messages = outputs.flatMap((text, at) => [
    calls(`${at}`, "Bash", { command: `make check-${at}` }),
    gets(`${at}`, `Exit code 1\n${text}`),
  ]);
  expect(mineErrors(messages, new Askable(messages)).map(({ value }) => value)).toEqual([outputs.at(-1)]);
});

test("files changed, errors, commands with their codes, directives and decisions are found", () => {
  expect(
    of("artifact")
      .filter(({ sets }) => sets.includes("ARTIFACT"))
      .map(({ value }) => value),
  ).toEqual(["retry.ts"]);
  expect(of("error").map(({ value }) => value)).toEqual(["TypeError: cannot read retryBudget of undefined"]);
  expect(of("command").map((probe) => [probe.match === "pair" && probe.command, probe.value])).toEqual([
    ["npm test", "0"],
  ]);
  expect(inSet("USER")).toEqual(["Fix the flaky retry test.", "Never touch src/legacy.ts."]);
  expect(of("decision")).toHaveLength(1);
});

test("a value that replaced another is asked for with the stale one beside it", () => {
  expect(of("update").map((probe) => [probe.value, probe.match === "update" && probe.stale])).toEqual([
    ["19", ["17"]],
  ]);
});

test("needed is what the agent wrote after the cut, before anyone showed it again", () => {
  expect(inSet("NEEDED").sort()).toEqual(["5432", "seededBudget"]);
});

test("what a tool shows again after the cut was not needed from the past", () => {
  const later = [
    ...SESSION.slice(0, 7),
    calls("4", "Bash", { command: "ss -l" }),
    gets("4", "port 5432 open"),
    ...SESSION.slice(7),
  ];
  const needed = mineProbes({ messages: later, from: 7, to: later.length }).filter(({ sets }) =>
    sets.includes("NEEDED"),
  );
  expect(needed.map(({ value }) => value)).toEqual(["seededBudget"]);
});

test("absent facts were never said, and are one step from one that was", () => {
  const said = SESSION.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part))).join("\n");
  expect(of("absent").length).toBeGreaterThan(0);
  for (const { value } of of("absent")) expect(said).not.toContain(`"${value}"`);
});
