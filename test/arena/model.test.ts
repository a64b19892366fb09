/** Model mode end to end: the command, a real wire, and a scripted model at its far end. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandAsker } from "../../arena/model/command-asker.ts";
import { oppositeOf } from "../../arena/model/compliance.ts";
import { claimsIn, spansFor } from "../../arena/model/grounding.ts";
import { nextCall } from "../../arena/model/next-call.ts";
import { recall } from "../../arena/model/recall.ts";
import { linesOf } from "../../arena/probes/lines.ts";
import type { AtomProbe } from "../../arena/probes/probe.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { type ModelRequest, type Reply, startModelServer } from "../../src/testing/index.ts";
import type { Part } from "../../src/transcript/message.ts";
import { resultText } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { EXAMPLE, run, scratchFolder } from "../cli/run.ts";
import { calls, result, user } from "../say.ts";

const said = (part: Part) =>
  part.type === "text" ? part.text : part.type === "tool-result" ? resultText(part) : "";

/** Reads before it answers, as the tools tell it to; says true things, and one that nobody ever said. */
function answer({ transcript }: ModelRequest): Reply | string {
  const parts = transcript.messages.flatMap((message) => message.parts);
  // On this wire the system prompt is the first message.
  const [system = "", asked = ""] = parts.filter(({ type }) => type === "text").map(said);
  const results = parts.filter(({ type }) => type === "tool-result").map(said);
  if (system.startsWith("Take the text apart"))
    return "- The webhook worker retries failed deliveries.\n- The moon base has 4711 windows.";
  if (system.startsWith("You check one claim")) {
    const [, line = ""] = /Lines:\n(.{12,})/.exec(asked) ?? [];
    return asked.includes("moon")
      ? "VERDICT: supported\nQUOTE: the moon base has windows"
      : `VERDICT: supported\nQUOTE: ${line}`;
  }
  if (system.startsWith("You grade")) return "NO";
  if (system.includes("one letter")) return "A";
  if (system.includes("TOOL:")) return "TOOL: Bash\nTARGET: npm test";
  if (system.includes("Say where the work stands"))
    return "The worker retries. The moon base has 4711 windows.";
  const hasTools = (transcript.tools ?? []).length > 0;
  const words = /these words, a [^:]+: ([^.]+)\./.exec(asked)?.[1] ?? "retry";
  if (hasTools && results.length === 0)
    return { calls: [{ name: "list_refs", input: { contains: words.replaceAll(",", "") } }] };
  const ref = /ref_[0-9a-z]{12}/.exec(results[0] ?? "")?.[0];
  if (hasTools && results.length === 1 && ref !== undefined)
    return { calls: [{ name: "read_ref", input: { ref } }] };
  const known = words.split(", ");
  const score = (line: string) => known.filter((word) => line.toLowerCase().includes(word)).length;
  const [best = "I don't recall"] = (results.at(-1) ?? "").split("\n").sort((a, b) => score(b) - score(a));
  return best;
}

const server = await startModelServer({ script: answer });
afterAll(() => server.close());
const ENV = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "any" };
const folder = scratchFolder();
const record = join(folder, "calls.jsonl");
const WORDS = ["arena", "--sessions", EXAMPLE, "--policies", "palimpsest,tail,full"];
const FEW = ["--questions", "6", "--replicates", "2", "--json"];

test("a model is asked over HTTP with the read tools; what it says is graded, recorded, and replayed without it", async () => {
  const model = ["--model", "openai-compatible/gpt-5-mini", "--record", record];
  const asked = await run([...WORDS, ...FEW, ...model], { env: ENV });
  expect(asked.err).toBe("");
  const { rows } = JSON.parse(asked.out);
  const of = (opponent: string) =>
    rows.find((row: { opponent: string }) => row.opponent === opponent).measures;
  expect(rows.map((row: { opponent: string }) => row.opponent)).toEqual([
    "palimpsest",
    "tail",
    "full",
    "no context",
  ]);
  // It reads where it can, and only there.
  expect(of("palimpsest").readsPerQuestion.mean).toBeGreaterThan(1);
  expect(of("palimpsest").recall.mean).toBeGreaterThan(0);
  expect(of("tail").recall.mean).toBe(0);
  // One claim of two has a quote that stands in the session; the other's quote stands nowhere.
  expect(of("palimpsest").grounded.mean).toBe(0.5);
  // "A" in both orders is no choice.
  expect(of("palimpsest").compliance.mean).toBe(0);
  expect(of("palimpsest").nextTool.sessions).toBe(1);
  expect(server.violations).toEqual([]);

  const requests = server.requests.length;
  const again = await run([...WORDS, ...FEW, "--replay", record]);
  expect(again.out).toBe(asked.out);
  expect(server.requests.length).toBe(requests);
  expect(readFileSync(record, "utf8")).not.toContain('any"');
  const other = await run([...WORDS, "--questions", "9", "--replicates", "1", "--replay", record]);
  expect(other.code).toBe(1);
  expect(other.err).toContain("has no answer to this question");
});

test("the experiments are asked of the model too, the arms alone", async () => {
  const words = [
    "arena",
    "--experiments",
    "--policies",
    "summarize,pointerize",
    "--replicates",
    "1",
    "--json",
  ];
  const { out } = await run([...words, "--model", "openai-compatible/gpt-5-mini"], { env: ENV });
  const rows: { variant: string; compactions: number; modelAnswered?: number }[] = JSON.parse(out);
  const asked = rows.filter(({ modelAnswered }) => modelAnswered !== undefined);
  expect([...new Set(asked.map(({ variant }) => variant))]).toEqual(["summarize", "pointerize"]);
  expect(rows.length).toBeGreaterThan(asked.length);
  const after = (arm: string) =>
    asked.find((row) => row.variant === arm && row.compactions === 3)?.modelAnswered ?? 0;
  // This one reads whenever it may: behind pointers it finds, behind a summary there is nothing to find.
  expect(after("pointerize")).toBeGreaterThan(0.3);
  expect(after("summarize")).toBe(0);
}, 120_000);

test("a program may answer in place of a model, and reads back by a line", async () => {
  const store = memoryStore();
  await store.openSession({ id: "arena", at: 1 });
  const part = result("1", "the metrics port is 5432");
  await store.keep("arena", [
    { ref: refOf(part), part, description: "Command: npm start", tokens: 9, at: 1 },
  ]);
  const program = `in=$(cat); case "$in" in *5432*) echo "5432";; *) echo "LIST metrics";; esac`;
  const question = { about: "x", system: "s", prompt: "which port?", replicate: 0 };
  expect(await commandAsker(program).ask({ ...question, store })).toMatchObject({ text: "5432\n", reads: 1 });
  expect((await commandAsker(program).ask(question)).text).toBe("LIST metrics\n");
  await expect(commandAsker("exit 3").ask(question)).rejects.toThrow(/ended with code 3/);
});

test("what is not understood is said before anybody is asked", async () => {
  expect((await run([...WORDS, "--model", "nobody/x"])).code).toBe(2);
  expect((await run([...WORDS, "--record", record])).err).toContain("--model");
  expect((await run([...WORDS, "--model", "openai-compatible/x"])).err).toContain("OPENAI_BASE_URL");
  expect((await run([...WORDS, "--replay", join(folder, "none.jsonl")])).err).toContain("There is no record");
  expect(existsSync(record)).toBe(true);
});

const PORT: AtomProbe = {
  type: "number",
  sets: ["ALL"],
  match: "atom",
  value: "5432",
  anchors: ["port"],
  isEarly: true,
};
const answering = (text: string) => ({
  replicate: 0,
  asker: { name: "x", ask: async () => ({ text, inputTokens: 0, outputTokens: 0, reads: 0 }) },
});

test("not to recall is never a hit, and a value inside another is not that value", async () => {
  const right = async (text: string) => (await recall(PORT, { text: "" }, answering(text))).isRight;
  expect(await right("5432")).toBe(true);
  expect(await right("The port is 5432.")).toBe(true);
  expect(await right("15432")).toBe(false);
  expect(await right("I don't recall, maybe 5432")).toBe(false);
});

test("the next call is the same by its tool and by what it is about", async () => {
  const next = calls("1", "Edit", { file_path: "/repo/src/retry.ts", old_string: "a", new_string: "b" });
  const asked = (text: string) => nextCall(next, { seen: { text: "" }, tools: ["Edit"] }, answering(text));
  expect(await asked("TOOL: Edit\nTARGET: `src/retry.ts`")).toEqual({ isSameTool: true, isSameTarget: true });
  expect(await asked("TOOL: Edit\nTARGET: src/other.ts")).toEqual({ isSameTool: true, isSameTarget: false });
  expect(await asked("TOOL: Read\nTARGET: src/retry.ts")).toEqual({ isSameTool: false, isSameTarget: false });
  expect(await nextCall(user("hello"), { seen: { text: "" }, tools: [] }, answering(""))).toBeUndefined();
});

test("claims are lines of a list, spans are the lines with their words, instructions have opposites", () => {
  expect(claimsIn("Here:\n- The port is 5432 now\n2. Tests were green\nbye")).toEqual([
    "The port is 5432 now",
    "Tests were green",
  ]);
  const source = linesOf("one\ntwo\nthe port is 5432\nfour\nfive\nsix");
  expect(spansFor("port 5432", source).map(({ text }) => text)).toEqual(["two", "the port is 5432", "four"]);
  expect(oppositeOf("Never touch the legacy folder")).toBe("always touch the legacy folder");
  expect(oppositeOf("Look at the logs")).toBeUndefined();
});
