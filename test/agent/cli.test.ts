/** `palimpsest agent` as a process: exit codes, what stands on which stream, standard input, `kill -9`. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/agent/index.ts";
import type { ModelRequest, ModelServer, Reply } from "../../src/testing/index.ts";
import { parseJson } from "../../src/transcript/json.ts";
import { CLAUDE, serverFor } from "../testing/ask.ts";
import { allText, folder, of } from "./agents.ts";

const BIN = resolve(import.meta.dirname, "../../dist/cli/bin.js");

let home = "";
let workspace = "";
beforeEach(() => {
  home = folder();
  workspace = folder();
});

interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly events: readonly AgentEvent[];
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Done>;
  /** When a line of the output says this. */
  said(words: string): Promise<void>;
}

function start(server: ModelServer, words: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [BIN, "agent", "--workspace", workspace, ...words], {
    env: { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, ...claudeAt(server), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  const waiting: { readonly words: string; readonly resolve: () => void }[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
    for (const { words: asked, resolve: found } of waiting) if (out.includes(asked)) found();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  const done = new Promise<Done>((ended) =>
    child.once("close", (code) => ended({ code, out, err, events: eventsIn(out) })),
  );
  const said = (asked: string) =>
    new Promise<void>((found) =>
      out.includes(asked) ? found() : waiting.push({ words: asked, resolve: found }),
    );
  return { child, done, said };
}

function run(
  server: ModelServer,
  words: readonly string[],
  input = "",
  env: Record<string, string> = {},
): Promise<Done> {
  const { child, done } = start(server, words, env);
  child.stdin.end(input);
  return done;
}

const claudeAt = ({ url }: ModelServer) => ({
  PALIMPSEST_MODEL: `anthropic/${CLAUDE}`,
  ANTHROPIC_API_KEY: "key",
  ANTHROPIC_BASE_URL: url,
});

function eventsIn(out: string): readonly AgentEvent[] {
  // Half a line is what a killed process leaves.
  return out
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? ((parseJson(line) ?? []) as unknown as AgentEvent) : []));
}

const bash = (command: string): Reply => ({ calls: [{ name: "bash", input: { command } }] });
const fill = (steps: number): readonly Reply[] =>
  Array.from({ length: steps }, (_, step) => bash(`seq -f '${step}: row %g of a long output' 300`));

test("a task: the answer on standard output, the rest beside it, and 0", async () => {
  const server = await serverFor([bash("echo hello > made.txt; cat made.txt"), "It is made."]);
  const { code, out, err } = await run(server, ["make it", "--yes"]);
  expect([code, out]).toEqual([0, "It is made.\n"]);
  expect(err).toContain("● bash echo hello");
  expect(err).toMatch(/To go on: palimpsest agent --resume \w+/);
  expect(`${out}${err}`).not.toContain("\u001b");
  expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("hello\n");
  expect(server.violations).toEqual([]);
});

test("without --yes nothing runs where nobody can be asked", async () => {
  const server = await serverFor([bash("touch ran"), "I could not."]);
  const { code, err } = await run(server, ["run it"]);
  expect(code).toBe(0);
  expect(err).toContain("Not allowed");
});

test("an OpenAI-compatible server, by environment alone", async () => {
  const server = await serverFor([bash("echo local"), "Done locally."]);
  const env = { PALIMPSEST_MODEL: "qwen3-coder", OPENAI_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: "" };
  const { code, out } = await run(server, ["go", "--yes", "--window", "32k"], "", env);
  expect([code, out]).toEqual([0, "Done locally.\n"]);
  expect(server.requests.map(({ api, model }) => [api, model])).toEqual([
    ["openai-chat", "qwen3-coder"],
    ["openai-chat", "qwen3-coder"],
  ]);
  expect(server.violations).toEqual([]);
});

test("a budget ends it with 1 and says which; the same session goes on with a new one", async () => {
  const server = await serverFor([bash("echo 1"), bash("echo 2"), bash("echo 3"), "All three."]);
  const first = await run(server, ["count", "--yes", "--turns", "2", "--json"]);
  expect(first.code).toBe(1);
  expect(of(first.events, "ended")[0]?.ending).toMatchObject({ kind: "budget", budget: "turns" });
  const id = of(first.events, "session")[0]?.id ?? "";
  const second = await run(server, ["--resume", id.slice(0, 6), "--yes"]);
  expect([second.code, second.out]).toEqual([0, "All three.\n"]);
  expect(server.violations).toEqual([]);
});

test("wrong words are told in one line, with 2", async () => {
  const server = await serverFor([]);
  for (const words of [
    ["go", "--model", "openai/gpt-5.1"],
    ["--from", "summary"],
    ["go", "--turns", "many"],
    ["a", "b"],
  ]) {
    const { code, err, out } = await run(server, words, "", { OPENAI_API_KEY: "" });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^palimpsest: .+\n$/);
  }
});

test("kill -9 loses nothing that was acknowledged, and the session goes on from there", async () => {
  const server = await serverFor([
    { text: "I begin.", calls: [{ name: "bash", input: { command: "echo first" } }] },
    {
      calls: [
        { name: "bash", input: { command: "echo second" } },
        { name: "bash", input: { command: "echo third > third.txt; sleep 60" } },
      ],
    },
    "I saw where it stopped.",
  ]);
  const { child, said, done } = start(server, ["work", "--yes", "--json"]);
  await said('"text":"second"');
  child.stdin.write("and mind the gap\n");
  await said('"type":"steered"');
  child.kill("SIGKILL");
  const killed = await done;
  const id = of(killed.events, "session")[0]?.id ?? "";
  // As a torn write would leave it.
  const journal = join(home, "agent", `${id}.jsonl`);
  writeFileSync(journal, `${readFileSync(journal, "utf8")}{"kind":"mess`);

  const { code, events } = await run(server, ["--resume", id, "--yes", "--json"]);
  expect(code).toBe(0);
  expect(of(events, "session")[0]).toMatchObject({ id, isResumed: true });
  expect(of(events, "ended")[0]?.ending).toEqual({ kind: "done", text: "I saw where it stopped." });
  const seen = allText(server.requests.at(-1) as ModelRequest);
  for (const words of [
    "I begin.",
    "first",
    "second",
    "and mind the gap",
    "The process ended before this call",
  ])
    expect(seen).toContain(words);
  expect(server.violations).toEqual([]);
});

test("lines on standard input steer a task that runs", async () => {
  const server = await serverFor([bash("sleep 1.5; echo slept"), "As you say."]);
  const { child, said, done } = start(server, ["go", "--yes", "--json"]);
  await said('"type":"call"');
  child.stdin.write("in French, please\n");
  await said('"type":"steered"');
  const { code } = await done;
  expect(code).toBe(0);
  const last = server.requests.at(-1)?.transcript.messages.at(-1);
  expect(last?.parts.map(({ type }) => type)).toEqual(["tool-result", "text", "text"]);
  expect(JSON.stringify(last)).toContain("in French, please");
  expect(server.violations).toEqual([]);
});

test("SIGINT ends it cleanly, with 1, and what was heard is kept", async () => {
  const server = await serverFor([{ text: "very slow ".repeat(50), chunkDelayMs: 50 }, "Going on."]);
  const { child, said, done } = start(server, ["go", "--json"]);
  await said("very slow");
  child.kill("SIGINT");
  const { code, events } = await done;
  expect(code).toBe(1);
  expect(of(events, "ended")[0]?.ending).toEqual({ kind: "interrupted" });
  const id = of(events, "session")[0]?.id ?? "";
  expect((await run(server, ["go on", "--resume", id])).out).toBe("Going on.\n");
  expect(server.violations).toEqual([]);
});

test("a conversation from a pipe: /context, /compact with a focus, /undo, /refs, /cost, /handoff", async () => {
  const server = await serverFor([...fill(6), "The rows are printed.", "A new thread."]);
  const lines = [
    "print the rows, and never delete a file",
    "/context",
    "/compact the rows of step 3",
    "/refs",
    "/undo",
    "/compact",
    "/cost",
    "/handoff now count them",
    "/nonsense",
  ];
  const words = ["--yes", "--summarizer", "extractive"];
  const { code, out, err } = await run(server, words, `${lines.join("\n")}\n`);
  expect(code).toBe(0);
  expect(out).toBe("The rows are printed.\nA new thread.\n");
  expect(err).toMatch(/[\d,]+ of 200,000 tokens \(\d+ %\)/);
  expect(err).toMatch(/Compacted: [\d,]+ → [\d,]+ tokens; \d+ originals can be read back/);
  expect(err).toMatch(/ref_[0-9a-z]{12} +[\d,]+ +Command/);
  expect(err).toContain("the last compaction is taken back");
  expect(err).toMatch(/spent: 7 of 200 turns/);
  expect(err).toMatch(/(saved net|net loss)/);
  expect(err).toMatch(/New thread \w+; \w+ stays as it is/);
  expect(err).toContain("There is no /nonsense");
  const last = server.requests.at(-1) as ModelRequest;
  expect(last.transcript.messages).toHaveLength(1);
  expect(allText(last)).toContain("never delete a file");
  expect(allText(last)).toContain("now count them");
  expect(server.violations).toEqual([]);
});

test("--resume --from summary begins a new thread with the summary of the old one", async () => {
  const server = await serverFor([...fill(6), "Printed.", "I know what was done."]);
  const first = await run(server, ["print the rows", "--yes", "--json"]);
  const id = of(first.events, "session")[0]?.id ?? "";
  const words = ["and now?", "--resume", id, "--from", "summary", "--summarizer", "extractive", "--json"];
  const second = await run(server, words);
  expect(second.code).toBe(0);
  expect(of(second.events, "session")[0]).toMatchObject({ isResumed: false });
  const last = server.requests.at(-1) as ModelRequest;
  expect(last.transcript.messages).toHaveLength(1);
  expect(allText(last)).toContain(`goes on from session ${id}`);
  expect(allText(last)).toContain("print the rows");
  expect(server.violations).toEqual([]);
});
