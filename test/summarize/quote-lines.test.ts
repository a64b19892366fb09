import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/measure/estimate.ts";
import type { Summary } from "../../src/plan/summary.ts";
import { extract } from "../../src/summarize/extractive.ts";
import type { SourceLine } from "../../src/summarize/gathering.ts";
import { shapesOf } from "../../src/summarize/line-shape.ts";
import { parseSummary } from "../../src/summarize/parse.ts";
import { withLines } from "../../src/summarize/quote-lines.ts";
import { renderSummary } from "../../src/summarize/render.ts";
import { shapeShare } from "../../src/summarize/routine.ts";
import { Scanner, scan } from "../../src/summarize/scan.ts";
import { Spread } from "../../src/summarize/spread.ts";
import { summarize } from "../../src/summarize/summarize.ts";
import { type Message, resultText } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { assistant, calls, gets, user } from "../say.ts";
import { inputOf } from "./inputs.ts";

const quoted = (messages: readonly Message[], more: Partial<Parameters<typeof withLines>[1]> = {}): Summary =>
  withLines(extract(inputOf(messages)), {
    ...{ messages, staying: [], behind: [], maxTokens: 2_000, tokensOf: estimateTokens },
    ...more,
  });
const quotesOf = (summary: Summary) =>
  Object.values(summary.sections).flatMap((lines) => (lines ?? []).flatMap(({ quotes }) => quotes ?? []));
const textsIn = (summary: Summary) => quotesOf(summary).map(({ text }) => text);

const read = (id: string, path: string, text: string) => [
  calls(id, "Read", { file_path: path }),
  gets(id, text),
];
const run = (id: string, command: string, output: string) => [
  calls(id, "Bash", { command }),
  gets(id, output),
];
const edit = (id: string, path: string, from: string, to: string) => [
  calls(id, "Edit", { file_path: path, old_string: from, new_string: to }),
  gets(id, "The file has been updated."),
];

describe("exact things of a line", () => {
  test.each([
    ["see src/plan/tail.ts:42 and loadConfig()", ["tail.ts", "loadConfig"]],
    ["MAX_TAIL = 20_000, v1.2.3, 250ms, 12 apples", ["MAX_TAIL", "20_000", "1.2.3", "250"]],
    ["commit deadbeef12 for #123 and ABC-7", ["deadbeef12", "#123", "ABC-7"]],
    ["run with --no-cache at https://example.org/a", ["--no-cache", "https://example.org/a"]],
    ["nothing here is worth a second look", []],
    ["[2026-02-10T05:58:44.938Z] retryQueue 2026-02-10", ["retryQueue"]],
    [`key ${"x9A".repeat(80)}`, []],
  ])("%s", (line, things) => {
    expect(scan(line).things.map(({ text }) => text)).toEqual(things);
  });

  test("plain words are counted, words of a language are not", () => {
    expect(scan("const retryLimit = 5; // attempts before giving up").words).toBe(3);
    expect(scan("return const fooBar").words).toBe(0);
  });

  test("of a line nothing is left for the next that the same eyes read", () => {
    const scanner = new Scanner();
    const lines = ["parseWidget renders slowly", "formatWidget draws slowly", "draws slowly", "-"];
    for (const line of lines) {
      const { things, ...rest } = scan(line);
      const read = scanner.text(line);
      expect(read).toMatchObject(rest);
      expect(read.things.map(({ text }) => text)).toEqual(things.map(({ text }) => text));
    }
  });
});

describe("lines of what folds", () => {
  const work = [
    user("Make the webhook retry."),
    ...read(
      "1",
      "src/retry.ts",
      "  1→// attempts before the webhook gives up\n  2→const RETRY_LIMIT = 512; // attempts allowed\n  3→}",
    ),
    ...run("2", "npm test", "\u001b[31mFAIL\u001b[0m retryQueue drains slowly\nTests: 345 passed"),
    assistant("The retryQueue must drain before closeServer is called."),
    assistant("I will look at closeServer and RETRY_LIMIT next."),
  ];

  test("stand under the file, command or words they come from, word for word, with the ref of their source", () => {
    const summary = quoted(work);
    const source = work.flatMap(({ parts }) => parts).map((part) => [refOf(part), part] as const);
    for (const { text, ref } of quotesOf(summary)) {
      const part = source.find(([known]) => known === ref)?.[1];
      const said = part?.type === "tool-result" ? resultText(part) : JSON.stringify(part);
      expect(said.replaceAll(/\u001b\[\d*m/g, "")).toContain(text);
    }
    const file = summary.sections["Files Read"]?.find(({ about }) => about === "src/retry.ts");
    expect(file?.quotes?.map(({ text }) => text)).toContain("const RETRY_LIMIT = 512; // attempts allowed");
    const command = summary.sections["Commands and Results"]?.find(({ about }) => about === "npm test");
    expect(command?.quotes?.map(({ text }) => text)).toContain("FAIL retryQueue drains slowly");
  });

  test("what was said stands together, each line with its own ref; numbers of a call are told, places in a file are not", () => {
    const messages = [
      ...work,
      assistant("Both drainQueue and openSocket were slow here."),
      assistant("Later parseHeader and sendFrame turned out fine."),
      calls("3", "Bash", { command: "npm run deploy", timeout: 120_000 }),
      gets("3", "done"),
      calls("4", "Read", { file_path: "src/other.ts", offset: 4_321 }),
      gets("4", "nothing"),
    ];
    const summary = quoted(messages);
    const said = summary.sections["Critical Context"]?.filter(({ text }) => text === "Said") ?? [];
    expect(said).toHaveLength(1);
    expect(new Set(said[0]?.quotes?.map(({ ref }) => ref)).size).toBeGreaterThan(1);
    expect(textsIn(summary)).toContain('"timeout": 120000');
    expect(textsIn(summary).join("\n")).not.toContain("4321");
  });

  test("are read back exactly", () => {
    const summary = quoted(work);
    expect(quotesOf(summary).length).toBeGreaterThan(2);
    expect(parseSummary(renderSummary(summary))).toEqual(
      parseSummary(renderSummary(parseSummary(renderSummary(summary)))),
    );
    expect(quotesOf(parseSummary(renderSummary(summary)))).toEqual(quotesOf(summary));
  });

  test("what the model still sees is not quoted", () => {
    const line = "const RETRY_LIMIT = 512; // attempts allowed";
    expect(textsIn(quoted(work))).toContain(line);
    expect(textsIn(quoted(work, { behind: [assistant(`It says:\n${line}`)] }))).not.toContain(line);
  });

  test("keep within their room, and a small room has the lines that tell most", () => {
    const many = Array.from({ length: 80 }, (_, id) =>
      read(`m${id}`, `src/f${id}.ts`, `export const someName${id} = 1000; // value number\n// idle words`),
    ).flat();
    const messages = [user("Go."), ...many, ...work];
    const bare = renderSummary(extract(inputOf(messages)));
    for (const maxTokens of [60, 200, 800]) {
      const summary = quoted(messages, { maxTokens });
      expect(estimateTokens(renderSummary(summary)) - estimateTokens(bare)).toBeLessThanOrEqual(
        maxTokens * 1.1,
      );
    }
    const small = textsIn(quoted(messages, { maxTokens: 60 }));
    expect(small.join("\n")).toContain("retryQueue");
  });
});

describe("a quote says what its heading and its like do not", () => {
  test("neither the command above it, nor what a file was read with, nor the value a heading shows", () => {
    const long = `deploy --target stagingServer --region euWest --note ${"padding ".repeat(16)}--final releaseName42x`;
    const messages = [
      ...run("1", "npm run checkTypes", "drainQueue must wait for closeSocket"),
      ...run("2", "sed -n '1,220p' docs/planForRetry.md", "The retryQueue drains before closeServer."),
      ...run("3", long, "startServer took its time and openPort is free"),
      calls("4", "write_stdin", { session_id: 61_348, chars: "" }),
      gets("4", "the workerPool went idle"),
      calls("5", "Bash", {
        command: "sed -n '3,9p' docs/planForRetry.md",
        workdir: "in projectRoot_one of mine",
      }),
      gets("5", "The retryQueue drains before closeServer."),
      ...run("6", "echo signalHandler is ready", "signalHandler is ready"),
    ];
    const text = textsIn(quoted(messages)).join("\n");
    expect(text).not.toContain("projectRoot_one");
    expect(text).not.toContain("signalHandler");
    expect(text).toContain("drainQueue must wait");
    expect(text).toContain("closeServer");
    expect(text).not.toContain("checkTypes");
    expect(text).not.toContain("sed -n");
    expect(text).not.toContain("61348");
    // The heading is cut; the rest of the command stands below it.
    expect(text).not.toContain("stagingServer");
    expect(text).toContain("--final releaseName42x");
  });

  test("of many lines that differ in values or names, and of passed tests, few; what failed and sums stay", () => {
    const passed = Array.from(
      { length: 60 },
      (_, at) => `(pass) parserCase${at}x > keeps order of tokens [0.4ms]`,
    );
    const hits = Array.from(
      { length: 60 },
      (_, at) => `src/mod${at}/file${at}.ts:${at + 100}: callHelper${at}x()`,
    );
    const output = [...passed, "(fail) parserLimits > rejects deepNesting", ...hits, "512 pass, 1 fail"];
    const texts = textsIn(quoted(run("1", "bun test", output.join("\n")), { maxTokens: 20_000 }));
    expect(texts).toContain("(fail) parserLimits > rejects deepNesting");
    expect(texts.filter((text) => text.startsWith("(pass)")).length).toBeLessThanOrEqual(5);
    expect(texts.filter((text) => text.startsWith("src/")).length).toBeLessThanOrEqual(12);
  });

  const output = {
    heading: { section: "Commands and Results", text: "`make`" },
    place: 0,
    isOutput: true,
  } as const;
  const printed = (text: string): SourceLine => ({
    ...{ text, scan: scan(text), order: 1, files: [] },
    source: { ...output, ref: () => refOf({ type: "text", text }) },
  });
  test.each([
    "✓ drainQueue empties itself",
    "(pass) drainQueue > empties itself [0.4ms]",
    "ok 4 - drainQueue empties itself",
    "core test: (pass) drainQueue > fails on an error [0.4ms]",
    "[api] ✓ drainQueue throws on failure",
    "--- PASS: TestDrainQueue (0.00s)",
    "tests/test_queue.py::test_drain PASSED [ 50%]",
    "test drainQueue::empties ... ok",
    "   Compiling drainQueue v1.2.3".trim(),
    "--drainQueue empties it before exit",
    "-rw-r--r-- 1 dev dev 858 Jun 12 04:19 drainQueue.yaml",
    "out/drainQueue.js 71.2 kB gzip",
    '{"id":"x1","name":"drainQueue","size":71,"kind":"queue"}',
  ])("routine counts for little: %s", (text) => {
    expect(shapeShare(printed(text), false)).toBeLessThan(0.5);
  });

  test.each([
    "(fail) drainQueue > empties itself",
    "512 pass, 1 fail",
    "Compiling drainQueue failed: no such file",
    "error: passed",
    "core test: (fail) drainQueue > empties itself",
    "core test: 512 pass",
    "drainQueue listens at http://127.0.0.1:8477",
  ])("what failed, sums and facts count: %s", (text) => {
    expect(shapeShare(printed(text), false)).toBe(1);
  });

  test("what a harness puts around outputs of many commands says nothing of them", () => {
    const lines = Array.from({ length: 6 }, (_, place) => {
      const line = printed(`Chunk ID: 4f2a${place}b71c0 part`);
      return { ...line, source: { ...line.source, place } };
    });
    const isEverywhere = (among: readonly SourceLine[]) =>
      new Spread(among, (index) => shapesOf(among[index]?.text ?? "", -1).kind).isEverywhere(0);
    expect(isEverywhere(lines.slice(0, 3))).toBe(false);
    expect(isEverywhere(lines)).toBe(true);
    expect(shapeShare(lines[0] as SourceLine, true)).toBeLessThan(0.5);
  });

  test("a page grows beyond some thousand tokens only by lines that are worth it", () => {
    const words = "slowly never often maybe always rarely".split(" ");
    const old = Array.from({ length: 400 }, (_, at) =>
      read(
        `${at}`,
        `src/part${at}.ts`,
        Array.from(
          { length: 6 },
          (_, row) => `${words[row]} someOld${at}Name${row} does nothing ${"much ".repeat(20)}`,
        ).join("\n"),
      ),
    ).flat();
    const used = (maxTokens: number) =>
      textsIn(quoted([user("Go."), ...old], { maxTokens })).reduce(
        (sum, text) => sum + estimateTokens(text),
        0,
      );
    expect(used(4_000)).toBeGreaterThan(2_000);
    expect(used(40_000)).toBeLessThan(14_000);
  });
});

describe("what no longer holds is not quoted", () => {
  test("a line that an edit took out", () => {
    const messages = [
      ...read("1", "src/a.ts", "const portNumber = 8080; // listens here\nconst hostName = 'a'; // the host"),
      ...edit(
        "2",
        "src/a.ts",
        "const portNumber = 8080; // listens here",
        "const portNumber = 9090; // listens here",
      ),
    ];
    expect(textsIn(quoted(messages)).filter((text) => text.includes("portNumber"))).toEqual([
      "const portNumber = 9090; // listens here",
    ]);
  });

  test("an edit that came after, and stays in sight, takes it out too", () => {
    const messages = read("1", "src/a.ts", "const portNumber = 8080; // listens here");
    const behind = edit("2", "src/a.ts", "const portNumber = 8080; // listens here", "");
    expect(textsIn(quoted(messages, { behind }))).toEqual([]);
  });

  test("the same words with another number: the latest", () => {
    const messages = [
      ...run("1", "npm test", "queueDepth settled at 345 entries"),
      ...run("2", "npm run cover", "queueDepth settled at 401 entries"),
    ];
    expect(textsIn(quoted(messages))).toEqual(["queueDepth settled at 401 entries"]);
  });

  test("the same words with other numbers, several at once: those printed last, also of a file", () => {
    const messages = [
      ...run("1", "npm test", "cacheSize settled at 345 bytes\ncacheSize settled at 346 bytes"),
      ...read("2", "out.log", "cacheSize settled at 346 bytes\ncacheSize settled at 401 bytes"),
    ];
    expect(textsIn(quoted(messages)).join("\n")).not.toContain("345");
    expect(textsIn(quoted(messages)).join("\n")).toContain("401");
  });

  test("an edit that was refused", () => {
    const refused: Message = {
      ...gets("1", "denied"),
      parts: [{ ...gets("1", "denied").parts[0], isError: true } as never],
    };
    const [call] = edit("1", "src/a.ts", "x", "const neverWritten = 1234; // not there");
    expect(textsIn(quoted([call as Message, refused]))).toEqual([]);
  });
});

test("ten compactions keep the lines within the room, and the latest value wins", async () => {
  let previous: Summary | undefined;
  const sizes: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const messages = [
      ...run(`a${round}`, `npm run bench-${round}`, `queueDepth settled at ${1000 + round} entries`),
      ...read(
        `b${round}`,
        `src/mod${round}.ts`,
        `export function handlerFor${round}() {} // handles kind ${round}00`,
      ),
    ];
    const lines = { staying: [], behind: [], maxTokens: 700 };
    const input = inputOf(messages, { maxTokens: 300, lines, ...(previous ? { previous } : {}) });
    previous = (
      await summarize(input, {
        name: "x",
        isLocal: true,
        write: async (given) => ({ summary: extract(given), by: "x", notes: [] }),
      })
    ).summary;
    sizes.push(estimateTokens(renderSummary(previous)));
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(750);
  const text = renderSummary(previous ?? { sections: {} });
  expect(text).toContain("queueDepth settled at 1009 entries");
  expect(text).not.toContain("queueDepth settled at 1003 entries");
  expect(text).toContain("handlerFor8");
});
