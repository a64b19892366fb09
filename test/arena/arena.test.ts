/** The whole way: a session file in, a report out, through the command's own door. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cascadeOf } from "../../arena/cases/cuts.ts";
import { filesMatching } from "../../arena/cases/files.ts";
import { fixtureOf } from "../../arena/experiments/fixtures.ts";
import { SCENARIOS } from "../../arena/experiments/scenarios.ts";
import { splitVariants, variantsOf } from "../../arena/experiments/variants.ts";
import * as arena from "../../arena/index.ts";
import { atomsIn } from "../../arena/probes/atoms.ts";
import type { Arena } from "../../src/cli/arena.ts";
import { policyNamed, policyNames } from "../../src/plan/policies.ts";
import type { Policy } from "../../src/plan/policy.ts";
import { EXAMPLE, run, scratchFolder } from "../cli/run.ts";
import { assistant, transcript, user } from "../say.ts";

// What the command takes the arena for is what it is; the compiler holds this.
const door: Arena<{
  readonly run: arena.ArenaRun;
  readonly report: arena.Report;
  readonly rows: Awaited<ReturnType<typeof arena.runExperiments>>;
  readonly asker: Awaited<ReturnType<typeof arena.openAsker>>;
  readonly modelRun: Awaited<ReturnType<typeof arena.runModel>>;
  readonly modelReport: ReturnType<typeof arena.modelReportOf>;
}> = arena;

const ORDER = {
  sessions: EXAMPLE,
  cascades: [1, 3],
  budgets: [4000],
  workers: 1,
  opponents: ["palimpsest", "tail"],
};
const REALISTIC_IN_ORDER = ["lock-timeout", "migration-error", "perf-debug", "full-18-part"];
const ran = await door.runArena(ORDER, () => undefined);
const report = door.reportOf(ran);

test("every setting has a row for every opponent, and the sets are apart", () => {
  expect(report.settings.map(({ setting }) => setting)).toEqual(["cascade 1", "cascade 3", "budget 4000"]);
  for (const { rows } of report.settings)
    expect(rows.map(({ opponent }) => opponent)).toEqual(["palimpsest", "tail"]);
  const [first] = report.settings;
  const [ours, tail] = first?.rows ?? [];
  expect(ours?.measures["userVisible"]?.mean).toBe(1);
  expect(ours?.measures["absentSeen"]?.mean).toBe(0);
  expect(ours?.measures["allLost"]?.mean).toBe(0);
  expect(tail?.measures["allRead2"]?.mean).toBe(tail?.measures["allVisible"]?.mean);
});

test("survival is told per compaction and per type, with its cliff, and how other readers fare", () => {
  const [ours, tail] = report.settings.find(({ setting }) => setting === "cascade 3")?.rows ?? [];
  expect(ours?.survival).toHaveLength(3);
  for (const curve of Object.values(ours?.survivalByType ?? {})) expect(curve).toHaveLength(3);
  expect(ours?.survivalByType["directive"]).toEqual([1, 1, 1]);
  expect(tail?.cliff === undefined || (tail.survival[tail.cliff - 1] ?? 1) < 0.5).toBe(true);
  expect(ours?.found["search"]).toBeGreaterThan(0.9);
  expect(ours?.found["browse"]).toBeLessThanOrEqual(ours?.found["search"] ?? 0);
  expect(tail?.found).toEqual({});
  expect(door.reportText(report)).toContain("the same by type of fact");
});

test("two runs give the same bytes", async () => {
  const order = { ...ORDER, cascades: [1], budgets: [], opponents: ["palimpsest", "random lines"] };
  const once = async () => door.reportOf(await door.runArena(order, () => undefined));
  const [first, second] = [await once(), await once()];
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  expect(door.reportHtml(second)).toBe(door.reportHtml(first));
});

test("however many processors there are, it is the same report, and whoever watches is told how far it is", async () => {
  const folder = scratchFolder();
  for (const name of ["a.jsonl", "b.jsonl", "c.jsonl"]) copyFileSync(EXAMPLE, join(folder, name));
  const words = ["arena", "--sessions", folder, "--cascade", "1", "--budget", "", "--json"];
  const order = [...words, "--policies", "palimpsest,random lines", "--workers"];
  const alone = await run([...order, "1"]);
  const many = await run([...order, "3"], { isTerminal: true });
  expect(alone.code).toBe(0);
  expect(many.out).toBe(alone.out);
  expect(JSON.parse(alone.out).files).toHaveLength(3);
  expect(many.err).toContain("2 of 3 sessions");
  expect(many.err.endsWith("\r\u001b[K")).toBe(true);
});

test("the page loads nothing and shows every plot", () => {
  const html = door.reportHtml(report);
  expect(html).not.toMatch(/<script|src=|href=|@import|url\(/);
  expect(html.match(/<svg/g)?.length).toBeGreaterThanOrEqual(7);
});

test("cuts are before responses, strictly one after the other, and as many as asked for", () => {
  const long = transcript(
    user("go"),
    ...Array.from({ length: 40 }, (_, at) => [
      assistant(`step ${at} `.repeat(60)),
      user(`and then ${at}`),
    ]).flat(),
  );
  for (const count of [1, 2, 3, 10]) {
    const { cuts } = cascadeOf(long, count);
    expect(cuts).toHaveLength(count);
    expect(cuts).toEqual([...new Set(cuts)].sort((a, b) => a - b));
    for (const cut of cuts) expect(long.messages[cut]?.role).toBe("assistant");
  }
});

test("a pattern finds session files, a folder all of them, a name only itself", () => {
  const folder = join(EXAMPLE, "..");
  const here = (pattern: string) => filesMatching(pattern).map(({ path }) => path);
  expect(here(join(folder, "*.jsonl"))).toEqual([EXAMPLE]);
  expect(here(EXAMPLE)).toEqual([EXAMPLE]);
  expect(here(join(folder, "**"))).toContain(EXAMPLE);
  expect(here("/nowhere/**")).toEqual([]);
});

test("the eight sessions ask for what they said, and say it once", () => {
  expect(SCENARIOS).toHaveLength(8);
  for (const fixture of SCENARIOS.map(fixtureOf)) {
    const said = JSON.stringify(fixture.session.whole.messages);
    const exact = fixture.questions.filter(({ value }) =>
      atomsIn(`it is: ${value}`).some(
        (atom) => atom.value === value.split("/").at(-1) || atom.value === value,
      ),
    );
    expect(exact).toHaveLength(fixture.questions.length);
    for (const { value } of fixture.questions)
      expect(said.split(value).length - 1, `${fixture.name} ${value}`).toBe(1);
  }
  expect(SCENARIOS.find(({ name }) => name === "full-18-part")?.steps).toHaveLength(18);
});

test("what a policy says can be varied is varied, and nothing else", () => {
  const options = {
    threshold: {
      about: "how large",
      values: { "150": { "prune.0.minTokens": 150 }, "500": { "prune.0.minTokens": 500 } },
    },
  };
  const policy: Policy = { ...policyNamed("palimpsest"), options };
  const made = variantsOf(policy).map(({ name, policy: { prune } }) => [
    name,
    prune[0]?.minTokens,
    prune.length,
  ]);
  const { length } = policy.prune;
  expect(made).toEqual([
    ["palimpsest threshold=150", 150, length],
    ["palimpsest threshold=500", 500, length],
  ]);
});

test("OpenCode's 60/40 is an experiment of its own: the same arm with 40 % preserved and with nothing", async () => {
  const split = splitVariants(["summarize", "pointerize", "palimpsest"]);
  expect(split.map(({ name }) => name)).toEqual([
    "summarize recent=40%",
    "summarize recent=none",
    "pointerize recent=40%",
    "pointerize recent=none",
  ]);
  expect(split[0]?.policy).toEqual(policyNamed("summarize"));
  const rows = await door.runExperiments({ arms: ["summarize"] });
  const row = (variant: string) => rows.find((one) => one.variant === variant && one.compactions === 1);
  const [kept, none] = [row("summarize recent=40%"), row("summarize recent=none")];
  expect(Object.keys(kept?.byFixture ?? {})).toEqual(REALISTIC_IN_ORDER);
  // Without refs and without recent messages only what a summary retells could be answered.
  expect(kept?.visible).toBeGreaterThan((none?.visible ?? 1) + 0.3);
  expect(door.experimentsText(rows)).toMatch(/full-18-part +summarize recent=40%/);
});

test("the command writes the page, and names what it does not know", async () => {
  const file = join(scratchFolder(), "arena.html");
  const words = [
    "arena",
    "--sessions",
    EXAMPLE,
    "--cascade",
    "1",
    "--budget",
    "",
    "--workers",
    "1",
    "--html",
    file,
  ];
  const { code, out } = await run([...words, "--policies", "palimpsest,full"]);
  expect(code).toBe(0);
  expect(out).toContain("cascade 1");
  expect(readFileSync(file, "utf8")).toContain("<h1>Arena</h1>");
  expect((await run([...words, "--policies", "nobody"])).err).toContain(policyNames.join(", "));
  expect((await run(["arena", "--sessions", "/nowhere/**"])).code).toBe(1);
  expect((await run(["arena", "--cascade", "x"])).code).toBe(2);
  expect((await run(["arena", "--cache", "redis"])).err).toContain("anthropic-5m, anthropic-1h");
});
