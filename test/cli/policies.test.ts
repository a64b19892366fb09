import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { policies } from "../../src/plan/policies.ts";
import { longBody } from "./conversation.ts";
import { type Ran, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const body = file("body.json", longBody("policies"));

function compacting(policy: string, ...more: readonly string[]): Promise<Ran> {
  return run(["compact", body, "--window", "20000", "--dry-run", "--policy", policy, ...more]);
}

async function report(policy: string): Promise<CompactReport> {
  const { code, out, err } = await compacting(policy, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

test("the list has each with one line, its source and its options", async () => {
  const { out } = await run(["policies"]);
  expect(out).toMatch(/^palimpsest +default/);
  for (const { name, about, source } of policies) {
    expect(out).toMatch(new RegExp(`^${name} `, "m"));
    expect(out).toContain(about);
    expect(out).toContain(`from ${source}`);
  }
  expect(out).toContain("threshold=150|300|500");
  const rows = JSON.parse((await run(["policies", "--json"])).out);
  expect(rows).toHaveLength(policies.length);
  expect(rows[4]).toMatchObject({ name: "pointerize", options: { prompt: ["prescriptive", "passive"] } });
});

test("show says of each number where it comes from; --json is plain JSON", async () => {
  const { out } = await run(["policies", "show", "layered"]);
  expect(out).toContain('// seed 002: KEEP_RECENT = 3\n      "keepResults": 3');
  expect(JSON.parse((await run(["policies", "show", "layered", "--json"])).out)).toMatchObject({
    name: "layered",
    notes: { "prune.1.keepResults": "seed 002: KEEP_RECENT = 3" },
  });
});

test.each(policies)("what show prints of $name can be given back, comments and all", async ({ name }) => {
  const shown = await run(["policies", "show", name]);
  const path = file("shown.json", shown.out);
  const { notes: _, ...plain } = JSON.parse((await run(["policies", "show", name, "--json"])).out);
  expect(JSON.parse((await run(["policies", "show", path, "--json"])).out)).toEqual(plain);
});

test("what is not understood is told", async () => {
  expect(await run(["policies", "show"])).toMatchObject({ code: 2 });
  expect(await run(["policies", "draw", "x"])).toMatchObject({ code: 2 });
  const { code, err } = await run(["policies", "show", "pointerize:treshold=150"]);
  expect(code).toBe(2);
  expect(err).toContain('pointerize has no option "treshold". Known: threshold, format, interface, prompt.');
});

test("compact takes a policy with options, and a file that extends one with options", async () => {
  expect((await report("pointerize:threshold=150:format=titled")).policy).toBe(
    "pointerize:threshold=150:format=titled",
  );
  const mine = file("mine.json", '// mine\n{ "extends": "pointerize:threshold=150", "name": "mine" }');
  const shown = JSON.parse((await run(["policies", "show", mine, "--json"])).out);
  expect(shown).toMatchObject({ name: "mine", prune: [{ minTokens: 151 }, { minTokens: 151 }] });
  expect((await report(mine)).policy).toBe("mine");
});

test("a policy that has a model write its summary says so where there is none", async () => {
  const told = "pi has a model write its summary; none is configured, so the extractor wrote it.";
  expect((await report("pi")).outcome).toMatchObject({ notes: expect.arrayContaining([told]) });
  expect((await compacting("pi")).out).toContain("pi has a model write its summary");
  const { outcome } = await report("cline-basic");
  expect(JSON.stringify(outcome)).not.toContain("none is configured");
});

test("ion says its summary under its own eight headings, and its metrics, in words and as data", async () => {
  const { summary, quality } = await report("ion");
  expect([...(summary ?? "").matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
    ...["Session Intent", "Current Task", "Files Modified", "Files Read (reference only)", "Key Decisions"],
    ...["Failed Approaches", "Errors Encountered", "Next Steps"],
  ]);
  expect(quality.compressionRatio).toBeGreaterThan(1);
  expect(quality.sections?.missing).toEqual([]);
  const { out } = await compacting("ion");
  expect(out).toContain(`compression ratio  ${quality.compressionRatio} × of the whole prompt`);
  expect(out).toMatch(/cache hit rate +no usage recorded; of the next prompt [\d.]+ % begin it as before/);
  expect(out).toMatch(/summary +8 sections: \d filled/);
  expect(out).toMatch(/task continuation +not without a model/);
});

test.each([
  ['{ "extends": "ion", "tail": { "minStep": 2 } }', "tail.minStep: there is no such field"],
  ['{ "extends": "iom", "name": "mine" }', 'there is no policy "iom"; "palimpsest policies" lists'],
  [
    '{ "extends": "ion", "trigger": { "target": { "share": 1.4 } } }',
    "trigger.target.share: expected <=1, found 1.4",
  ],
  ['{ "extends": "ion", }', "is not JSON: "],
])("a policy file that is wrong is told by its field, on one line: %s", async (text, told) => {
  const { code, out, err } = await compacting(file("wrong.json", text));
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(told);
  expect(err.trim().split("\n")).toHaveLength(1);
});

test("comments may stand behind a value and over several lines; a // in a string is text", async () => {
  const mine = file(
    "mine.json",
    '{ "extends": "pi", // theirs\n/* and\nmore */ "name": "mine", "about": "see https://x // y" }',
  );
  const shown = JSON.parse((await run(["policies", "show", mine, "--json"])).out);
  expect(shown).toMatchObject({ name: "mine", about: "see https://x // y" });
});

test("a variable that is no number is told by its name", async () => {
  const { code, err } = await run(["policies", "show", "nucleic"], {
    env: { COMPRESSION_THRESHOLD: "high" },
  });
  expect({ code, err: err.trim() }).toEqual({
    code: 1,
    err: 'palimpsest: COMPRESSION_THRESHOLD is "high"; it sets trigger.at.0.share, which is a number.',
  });
});
