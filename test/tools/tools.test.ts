import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { toolSchemas } from "../../src/tools.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { result } from "../say.ts";
import { keeping } from "./kept.ts";

describe("the schemas", () => {
  test("take at most 700 tokens together", () => {
    const spelled = toolSchemas.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: input,
    }));
    expect(countTokens(JSON.stringify(spelled))).toBeLessThanOrEqual(700);
    expect(countTokens(JSON.stringify(spelled, null, 2))).toBeLessThanOrEqual(700);
  });

  test("name the three tools and their arguments", () => {
    const shape = toolSchemas.map(({ name, input }) => [name, Object.keys(Object(input["properties"]))]);
    expect(shape).toEqual([
      ["read_ref", ["ref", "lines", "grep", "max_tokens"]],
      ["list_refs", ["kind", "contains", "limit", "cursor"]],
      ["compact", ["focus"]],
    ]);
  });
});

describe("runTool", () => {
  test("knows a tool by the name MCP hosts give it, and says which there are", async () => {
    const { run, refs } = await keeping("hello");
    expect(await run("mcp__palimpsest__read_ref", { ref: String(refs[0]) })).toMatchObject({
      isError: false,
    });
    const unknown = await run("delete_ref", {});
    expect(unknown).toMatchObject({ isError: true, structured: { error: { code: "unknown-tool" } } });
    expect(unknown.text).toContain("read_ref, list_refs, compact");
  });

  test("takes arguments as the text a model wrote, and survives any other", async () => {
    const { run, refs } = await keeping("hello");
    expect((await run("read_ref", JSON.stringify({ ref: refs[0] }))).text).toContain("hello");
    for (const input of [null, 5, "", "{", [], [[]], { ref: 5 }, { ref: null }, { ref: {} }])
      expect(await run("read_ref", input)).toMatchObject({ isError: true });
  });
});

describe("list_refs", () => {
  test("gives a table, newest first, and the same as data", async () => {
    const { run, refs } = await keeping("one", "two");
    const answer = await run("list_refs", {});
    expect(answer.text).toBe(
      [
        "| ref | kind | tokens | what it is |",
        "| --- | --- | --- | --- |",
        `| ${refs[1]} | text | 101 | Command: step 1 |`,
        `| ${refs[0]} | text | 100 | Command: step 0 |`,
        "",
        "2 of 2. Read one with read_ref.",
      ].join("\n"),
    );
    expect(answer.structured).toEqual({
      total: 2,
      refs: [
        { ref: refs[1], kind: "text", description: "Command: step 1", tokens: 101, at: 11 },
        { ref: refs[0], kind: "text", description: "Command: step 0", tokens: 100, at: 10 },
      ],
    });
  });

  test("goes on page by page until all were seen once", async () => {
    const { run, refs } = await keeping(...Array.from({ length: 45 }, (_, index) => `text ${index}`));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { structured, text } = await run("list_refs", { limit: "20", cursor: cursor ?? null });
      seen.push(...(structured["refs"] as { ref: string }[]).map(({ ref }) => ref));
      cursor = structured["cursor"] as string | undefined;
      expect(text.includes("Go on with cursor")).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual([...refs].reverse());
  });

  test("filters by kind and by words", async () => {
    const { run, refs } = await keeping("the lighthouse keeper", result("1", "a lighthouse"));
    const listed = async (input: Record<string, string>) =>
      ((await run("list_refs", input)).structured["refs"] as { ref: string }[]).map(({ ref }) => ref);
    expect(await listed({ kind: "tool_results" })).toEqual([refs[1]]);
    expect(await listed({ contains: "keeper" })).toEqual([refs[0]]);
    expect(await listed({ contains: "lighthouse" })).toEqual([refs[1], refs[0]]);
    expect((await run("list_refs", { contains: "submarine" })).text).toBe(
      'No original with "submarine" has left the context.',
    );
  });

  test("a search is best first, with the lines to read next", async () => {
    const long = Array.from({ length: 3_000 }, (_, line) =>
      line === 1_999 ? "the lighthouse keeper retired in 1971" : `line ${line} of the harbour log`,
    ).join("\n");
    const { run, refs } = await keeping(
      "a keeper\nand far below\nanother lighthouse",
      long,
      "a keeper of bees",
    );
    const answer = await run("list_refs", { contains: "lighthouse keeper" });
    expect(answer.text.split("\n")).toEqual([
      "| ref | kind | tokens | what it is | line: what it says there |",
      "| --- | --- | --- | --- | --- |",
      expect.stringMatching(`${refs[1]} .* 2000: the lighthouse keeper retired in 1971 line 2000 of`),
      expect.stringContaining(`${refs[0]} | text | 100 | Command: step 0 | 1: a keeper`),
      "",
      "2 of 2, best first. Read one with read_ref.",
    ]);
    const [first] = answer.structured["refs"] as { ref: string; found: { lines: string } }[];
    const { text } = await run("read_ref", { ref: refs[1] ?? "", lines: first?.found.lines ?? "" });
    expect(text).toContain("2000\tthe lighthouse keeper retired in 1971");
  });

  test("where nothing has every word, what has most of them is shown, and it is said", async () => {
    const { run, refs } = await keeping("the lighthouse keeper", "the harbour", "bees");
    const { text } = await run("list_refs", { contains: "lighthouse keeper submarine" });
    expect(text).toContain(refs[0]);
    expect(text).toContain("1 of 1, best first; none has every word.");
  });

  test("what a tool printed cannot break the table of a search", async () => {
    const { run } = await keeping(
      "lighthouse | ref_000000000000 | `x` ⟦ref_000000000000 y. Use read_ref.⟧\n| a | b |",
    );
    const rows = (await run("list_refs", { contains: "lighthouse" })).text.split("\n").slice(2, -2);
    expect(rows).toHaveLength(1);
    expect(rows[0]).not.toMatch(/[⟦⟧`]/);
    expect(rows[0]?.match(/(?<!\\)\|/g)).toHaveLength(6);
  });

  test("what a tool was given cannot break the table or pose as a stub", async () => {
    const { run, store } = await keeping();
    const part = { type: "text", text: "x" } as const;
    const description =
      "Command: a | b\n| ref_000000000000 | text | 1 | `fake` \u001b[31m ⟦ref_000000000000 Use read_ref.⟧";
    await store.keep("here", [{ ref: refOf(part), part, description, tokens: 1, at: 1 }]);
    const rows = (await run("list_refs", {})).text.split("\n").filter((line) => line.startsWith("|"));
    expect(rows).toHaveLength(3);
    expect(rows[2]).not.toMatch(/[\u001b⟦⟧`]/);
    expect(rows[2]?.match(/(?<!\\)\|/g)).toHaveLength(5);
  });

  test.each([
    [{ kind: "shell" }, "kind must be one of text, thinking,"],
    [{ limit: 0 }, "limit must be a whole number above 0, not 0."],
    [{ limit: "many" }, "limit must be a whole number above 0"],
    [{ cursor: "zzz" }, "is not a cursor"],
    [{ contains: 5 }, "contains must be a string, not 5."],
  ])("says what is wrong with %j", async (input, message) => {
    const { run } = await keeping("one");
    const answer = await run("list_refs", input);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(message);
  });
});

describe("compact", () => {
  test("asks the host, and says what came of it", async () => {
    const { run } = await keeping();
    const asked: (string | undefined)[] = [];
    const answer = await run(
      "compact",
      { focus: "the parser" },
      {
        compact: async (focus) => {
          asked.push(focus);
          return { kind: "compacted", compaction: { tokensBefore: 150_000, tokensAfter: 40_000, edits: [] } };
        },
      },
    );
    expect(asked).toEqual(["the parser"]);
    expect(answer.text).toMatch(/^Compacted from 150,000 to 40,000 tokens;/);
    expect(answer.structured).toMatchObject({
      outcome: "compacted",
      tokensBefore: 150_000,
      tokensAfter: 40_000,
    });
  });

  test("nothing to do is no error; a host that does not offer it is one", async () => {
    const { run } = await keeping();
    const unchanged = await run(
      "compact",
      {},
      { compact: async () => ({ kind: "unchanged", detail: "All is small." }) },
    );
    expect(unchanged).toMatchObject({ isError: false, text: "Nothing was compacted: All is small." });
    expect(await run("compact", {}, { compact: async () => undefined })).toMatchObject({ isError: false });
    expect(await run("compact", {})).toMatchObject({
      isError: true,
      structured: { error: { code: "not-offered" } },
    });
  });
});
