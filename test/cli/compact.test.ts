import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { standingCompactions } from "../../src/apply/view.ts";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { isBound } from "../../src/plan/bound.ts";
import { SECTIONS } from "../../src/plan/summary.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { check } from "../../src/transcript/check.ts";
import { hasUserWords } from "../../src/transcript/message.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { readSession } from "../../src/wire/wires.ts";
import { longBody } from "./conversation.ts";
import { EXAMPLE, type Ran, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
let stores = 0;

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function newStore(): string {
  stores += 1;
  return join(folder, `store-${stores}`);
}

const WINDOW = ["--window", "20000"];

async function report(words: readonly string[]): Promise<CompactReport> {
  const { code, out, err } = await run(["compact", ...words, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

function expectOneLine({ code, out, err }: Ran, expected: { code: number; says: string }): void {
  expect({ code, out }).toEqual({ code: expected.code, out: "" });
  expect(err).toContain(expected.says);
  expect(err.trim().split("\n")).toHaveLength(1);
}

describe("palimpsest compact", () => {
  test("shows what became smaller, what left, what survived and where the rest is", async () => {
    const { code, out, err } = await run(["compact", EXAMPLE, "--store", newStore()]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").filter((line) => /^[A-Z]/.test(line))).toEqual([
      expect.stringContaining("Claude Code session"),
      "By kind: before, after",
      "What left, and why",
      "What survived, and why",
      expect.stringMatching(/^What became refs: \d/),
      ...(out.includes("\nNotes\n") ? ["Notes"] : []),
      "Quality, as far as it can be measured",
      expect.stringContaining("palimpsest refs --session"),
      expect.stringContaining("palimpsest restore"),
    ]);
    expect(out).toMatch(/all \d+ user messages, word for word/);
    expect(out).not.toContain("\u001b[");
  });

  test("--json says the same as data, and the numbers are the numbers", async () => {
    const body = file("numbers.json", longBody("numbers"));
    const json = await report([body, ...WINDOW, "--store", newStore()]);
    expect(json.tokensAfter).toBeLessThan(json.tokensBefore);
    expect(json.ratio).toBeCloseTo(json.tokensAfter / json.tokensBefore, 3);
    expect(json.edits.length).toBeGreaterThan(0);
    expect(json.edits.every(({ why, ref }) => why !== "" && ref.startsWith("ref_"))).toBe(true);
    // Beside what left, what the summary points to: the user's words stay, and can be pointed to.
    const refs = new Set(json.refs.map(({ ref }) => ref));
    expect(json.edits.every(({ ref }) => refs.has(ref))).toBe(true);
    expect(json.outcome).toMatchObject({ kind: "compacted", compactions: 1 });
  });

  test("the same command gives the same result again", async () => {
    const body = file("again.json", longBody("again"));
    const store = newStore();
    const words = [body, ...WINDOW, "--store", store];
    const [first, second] = [await report(words), await report(words)];
    expect({ ...second, elapsedMs: 0 }).toEqual({ ...first, elapsedMs: 0 });
    const tighter = await report([...words, "--target", "6000"]);
    expect(tighter.tokensBefore).toBe(first.tokensBefore);
    expect({ ...(await report(words)), elapsedMs: 0 }).toEqual({ ...first, elapsedMs: 0 });
  });

  test("-o writes the wire that was read, shorter, with every word of the user in it", async () => {
    const body = file("writes.json", longBody("writes"));
    const out = join(folder, "writes-shorter.json");
    const json = await report([body, ...WINDOW, "--store", newStore(), "-o", out]);
    const written = readSession(sourceOf(readFileSync(out)));
    expect(written.wire).toBe("anthropic-messages");
    expect(written.seen.messages).toHaveLength(json.messagesAfter);
    const said = JSON.stringify(written.seen.messages.filter(hasUserWords));
    expect(said).toContain("Never touch the public API of the queue.");
    expect(said).toContain("Do not add dependencies.");
  });

  test("-o writes a Claude Code file that is read again", async () => {
    const out = join(folder, "shorter.jsonl");
    const json = await report([EXAMPLE, "--store", newStore(), "-o", out]);
    const written = readSession(sourceOf(readFileSync(out)));
    expect(written.wire).toBe("claude-code");
    expect(written.seen.messages).toHaveLength(json.messagesAfter);
  });

  const BODIES = ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk"];

  test.each(BODIES)(
    "--to %s writes a request body instead, with as many messages as announced",
    async (wire) => {
      const out = join(folder, `body-${wire}.json`);
      const words = [EXAMPLE, "--store", newStore(), "--to", wire, "-o", out];
      const { messagesAfter } = await report(words);
      const { messages } = readSession(sourceOf(readFileSync(out)), { wire }).seen;
      expect(messages.length).toBeGreaterThan(3);
      expect(messagesAfter).toBe(messages.length);
      expect((await run(["compact", ...words])).out).toContain(` → ${messages.length} messages`);
    },
  );

  test("half a surrogate pair in every text changes no message, no count and no byte of the original", async () => {
    const odd = longBody("halves").replaceAll(" ", " \\ud83d ").replaceAll("compute", "\\udc00compute");
    const body = file("halves.json", odd);
    const home = newStore();
    const before = readSession(sourceOf(readFileSync(body))).seen.messages.length;
    for (const wire of ["", ...BODIES]) {
      const out = join(folder, `halves-${wire}.json`);
      const to = wire === "" ? [] : ["--to", wire];
      const json = await report([body, ...WINDOW, "--store", home, "-o", out, ...to]);
      const read = readSession(sourceOf(readFileSync(out)), wire === "" ? {} : { wire });
      expect([json.messagesBefore, json.messagesAfter], wire).toEqual([before, read.seen.messages.length]);
      expect(json.messagesAfter, wire).toBeLessThan(before);
    }
    const back = join(folder, "halves-back.json");
    await run(["restore", join(folder, "halves-.json"), "--store", home, "-o", back]);
    expect(readFileSync(back, "utf8")).toBe(odd);
  });

  test("-o - writes to standard output and says nothing else", async () => {
    const body = file("stdout.json", longBody("stdout"));
    const { code, out, err } = await run(["compact", body, ...WINDOW, "--store", newStore(), "-o", "-"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out).messages.length).toBeGreaterThan(3);
  });

  test("--dry-run says the same and leaves no trace", async () => {
    const body = file("dry.json", longBody("dry"));
    const store = newStore();
    const out = join(folder, "dry-out.json");
    const words = [body, ...WINDOW, "--store", store];
    const dry = await report([...words, "--dry-run", "-o", out]);
    expect(readdirSync(folder)).not.toContain("dry-out.json");
    expect((await run(["sessions", "--store", store])).out).toContain("No session is kept");
    expect({ ...(await report(words)), elapsedMs: 0 }).toEqual({ ...dry, elapsedMs: 0 });
  });

  test("a policy that does nothing leaves the file as it is, and says so", async () => {
    const body = file("none.json", longBody("none"));
    const out = join(folder, "none-out.json");
    const words = ["compact", body, "--policy", "none", "--store", newStore(), "-o", out];
    const { code, out: said } = await run(words);
    expect(code).toBe(0);
    expect(said).toContain("Nothing was done");
    expect(readFileSync(out, "utf8")).toBe(readFileSync(body, "utf8"));
    const json = await report([body, "--policy", "none", "--store", newStore()]);
    expect(json).toMatchObject({ ratio: 1, summary: null, edits: [], outcome: { kind: "unchanged" } });
  });

  test("where nothing had to be done, it says what would fold more, and that does", async () => {
    const { messages, ...body } = JSON.parse(longBody("roomy"));
    const first = file("roomy.json", JSON.stringify({ ...body, messages: messages.slice(0, 9) }));
    const words = [first, "--dry-run", "--store", newStore()];
    const { out } = await run(["compact", ...words]);
    expect(out).toContain("Nothing was done");
    expect(out).toContain("--target N");
    expect((await report([...words, "--target", "3000"])).outcome).toMatchObject({ kind: "compacted" });
  });

  test("--cascade compacts as often as asked, each time more of the session", async () => {
    const body = file("cascade.json", longBody("cascade"));
    const json = await report([body, ...WINDOW, "--target", "6000", "--cascade", "5", "--store", newStore()]);
    expect(json.outcome).toMatchObject({ kind: "compacted" });
    expect(json.outcome.kind === "compacted" && json.outcome.compactions).toBeGreaterThan(2);
    expect(json.ratio).toBeLessThan(1);
  });

  test("a session in the store goes on from where it stands", async () => {
    const body = file("named.json", longBody("named"));
    const store = newStore();
    const first = await report([body, ...WINDOW, "--store", store]);
    const id = first.outcome.kind === "compacted" ? first.outcome.session : "";
    const second = await report([id.slice(0, 12), ...WINDOW, "--target", "5000", "--store", store]);
    expect(second.tokensBefore).toBe(first.tokensAfter);
  });

  test("a file compacted again begins afresh: what was done before is taken back, unless nothing takes its place", async () => {
    const body = file("afresh.json", longBody("afresh"));
    const store = newStore();
    const standing = async (...words: readonly string[]) => {
      const { outcome } = await report([body, ...WINDOW, "--store", store, ...words]);
      const open = await openSqliteStore({ path: join(store, "store.db") });
      const [row] = await open.sessions();
      const compactions = standingCompactions(await open.ledger(row?.id ?? ""));
      await open.close();
      return { kind: outcome.kind, policies: compactions.map(({ policy }) => policy) };
    };
    expect(await standing()).toEqual({ kind: "compacted", policies: ["palimpsest"] });
    expect(await standing()).toEqual({ kind: "compacted", policies: ["palimpsest"] });
    expect(await standing("--policy", "nucleic")).toEqual({ kind: "compacted", policies: ["nucleic"] });
    expect(await standing("--policy", "none")).toEqual({ kind: "unchanged", policies: ["nucleic"] });
  });

  test("the refs reported are of what left, not of all that is kept", async () => {
    const { refs, edits } = await report([EXAMPLE, "--store", newStore()]);
    const left = new Set(edits.map(({ ref }) => ref));
    expect(refs.length).toBeGreaterThan(50);
    expect(refs.filter(({ ref }) => !left.has(ref))).toEqual([]);
  });

  test("a policy of one's own is a file", async () => {
    const policy = file("mine.json", JSON.stringify({ extends: "none", name: "mine" }));
    const body = file("own.json", longBody("own"));
    expect((await report([body, "--policy", policy, "--store", newStore()])).policy).toBe("mine");
  });

  test("a program may write the summary", async () => {
    const body = file("command.json", longBody("command"));
    const script = file("answer.sh", "cat >/dev/null; printf '## Next Steps\\n- water the plants\\n'");
    const words = [body, ...WINDOW, "--store", newStore(), "--summarizer", `command:sh ${script}`];
    expect((await report(words)).outcome.kind).toBe("compacted");
  });
});

describe("palimpsest compact, with a model", () => {
  async function withServer(answer: object, use: (baseURL: string) => Promise<void>): Promise<number> {
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        asked += 1;
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    try {
      await use(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/v1`);
    } finally {
      server.close();
    }
    return asked;
  }

  const summaryWith = (section: string, line: string) =>
    SECTIONS.map((name) => `## ${name}\n${name === section ? `- ${line}` : "(none)"}`).join("\n\n");
  const answerOf = (content: string) => ({
    id: "1",
    object: "chat.completion",
    created: 0,
    model: "small",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });

  test("it is asked where the environment says, and what it says stands in the summary", async () => {
    const body = file("model.json", longBody("model"));
    const asked = await withServer(
      answerOf(summaryWith("Critical Context", "Half of it is read.")),
      async (baseURL) => {
        const words = ["compact", body, ...WINDOW, "--store", newStore(), "--json"];
        const { code, out } = await run([...words, "--summarizer", "model:openai-compatible/small"], {
          env: { OPENAI_BASE_URL: baseURL },
        });
        expect(code).toBe(0);
        const { summary, outcome } = JSON.parse(out);
        expect(summary, JSON.stringify(outcome)).toContain("Half of it is read.");
        expect(outcome.notes).not.toContain("extractive wrote instead.");
      },
    );
    expect(asked).toBeGreaterThan(0);
  });

  test("a model that answers nothing costs the summary nothing", async () => {
    const body = file("mute.json", longBody("mute"));
    await withServer(answerOf(""), async (baseURL) => {
      const words = ["compact", body, ...WINDOW, "--store", newStore(), "--json"];
      const { code, out } = await run([...words, "--summarizer", "model:openai-compatible/small"], {
        env: { OPENAI_BASE_URL: baseURL },
      });
      const json: CompactReport = JSON.parse(out);
      expect(code).toBe(0);
      expect(json.summary).toContain("Never touch the public API of the queue.");
      expect(json.outcome.kind === "compacted" && json.outcome.notes.length).toBeGreaterThan(0);
    });
  });
});

describe("palimpsest compact --to", () => {
  test("a call nobody answered stays in the file and is not sent: the body goes without it, and says so", async () => {
    const body = JSON.parse(longBody("open"));
    const call = { type: "tool_use", id: "toolu_open", name: "Deploy", input: { to: "production" } };
    const thought = { type: "text", text: "Now I deploy." };
    const messages = [...body.messages, { role: "assistant", content: [thought, call] }];
    const path = file("open.json", JSON.stringify({ ...body, messages }));
    const out = join(folder, "open-out.json");
    const words = [path, ...WINDOW, "--store", newStore(), "-o", out];
    await report(words);
    expect(readFileSync(out, "utf8")).toContain("toolu_open");
    for (const wire of ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk"]) {
      const { outcome, messagesAfter } = await report([...words, "--to", wire]);
      const sent = readSession(sourceOf(readFileSync(out)), { wire }).seen;
      expect(check(sent).filter(({ code }) => code !== "ends-with-assistant")).toEqual([]);
      expect(sent.messages).toHaveLength(messagesAfter);
      expect(readFileSync(out, "utf8")).toContain("Now I deploy.");
      expect(outcome.kind === "compacted" && outcome.notes.at(-1)).toContain(
        "without what was not finished (Deploy)",
      );
    }
  });

  test("nor is a thought that led to nothing, alone or before such a call", async () => {
    const body = JSON.parse(longBody("thought"));
    const thinking = { type: "thinking", thinking: "Now I deploy.", signature: "seal" };
    const call = { type: "tool_use", id: "toolu_open", name: "Deploy", input: {} };
    for (const [content, named] of [
      [[thinking], "(thinking)"],
      [[thinking, call], "(Deploy)"],
    ] as const) {
      const messages = [
        ...body.messages,
        { role: "user", content: "Deploy it." },
        { role: "assistant", content },
      ];
      const path = file("thought.json", JSON.stringify({ ...body, messages }));
      const out = join(folder, "thought-out.json");
      const { outcome } = await report([
        ...[path, "--policy", "none", "--store", newStore()],
        ...["--to", "anthropic-messages", "-o", out],
      ]);
      expect(outcome).toMatchObject({ kind: "unchanged", notes: [expect.stringContaining(named)] });
      expect(check(readSession(sourceOf(readFileSync(out))).seen)).toEqual([]);
    }
  });
});

test("a file whose agent was stopped in the middle of a call: the call leaves with its step, and all comes back", async () => {
  const lines = readFileSync(EXAMPLE, "utf8").trimEnd().split("\n");
  // The last call behind sealed thinking, without its result: while an agent works, nothing before it could change.
  const stopped = file("stopped.jsonl", `${lines.slice(0, 507).join("\n")}\n`);
  expect(isBound(readSession(sourceOf(readFileSync(stopped))).seen)).toBe(true);
  const [store, out] = [newStore(), join(folder, "stopped.out.jsonl")];
  const { outcome, tokensBefore, tokensAfter } = await report([stopped, "-o", out, "--store", store]);
  expect(outcome.kind).toBe("compacted");
  expect(tokensAfter).toBeLessThan(tokensBefore / 2);
  expect(check(readSession(sourceOf(readFileSync(out))).seen, { as: "record" })).toEqual([]);
  const back = join(folder, "stopped.back.jsonl");
  expect((await run(["restore", out, "--store", store, "-o", back])).code).toBe(0);
  expect(readFileSync(back).equals(readFileSync(stopped))).toBe(true);
});

describe("palimpsest compact, where it cannot", () => {
  test("a target that is out of reach is said, with what stands in the way", async () => {
    const json = await report([EXAMPLE, "--target", "10", "--store", newStore()]);
    expect(json.tokensAfter).toBeGreaterThan(10);
    const { outcome } = json;
    expect(outcome.kind === "compacted" && outcome.notes.join("\n")).toContain(
      `${json.tokensAfter.toLocaleString("en-US")} tokens are more than the 10 asked for: `,
    );
    const reached = await report([EXAMPLE, "--target", "80000", "--store", newStore()]);
    expect(JSON.stringify(reached.outcome)).not.toContain("asked for:");
  });

  test("an unknown session is named with those that are known", async () => {
    const store = newStore();
    await report([file("known.json", longBody("known")), ...WINDOW, "--store", store]);
    expectOneLine(await run(["compact", "nobody", "--store", store]), {
      code: 1,
      says: 'There is no file and no stored session "nobody"; the latest are file-',
    });
  });

  test("a name without a store, and a file that is not there, are told apart", async () => {
    expectOneLine(await run(["compact", "nobody", "--store", newStore()]), {
      code: 1,
      says: "There is no store",
    });
    expectOneLine(await run(["compact", "./nobody.jsonl", "--store", newStore()]), {
      code: 1,
      says: "there is no such file",
    });
  });

  test("a policy with a wrong field is told by the field", async () => {
    const policy = file("wrong.json", JSON.stringify({ extends: "palimpsest", tail: { minSteps: "many" } }));
    expectOneLine(await run(["compact", EXAMPLE, "--policy", policy, "--store", newStore()]), {
      code: 1,
      says: "tail.minSteps",
    });
    expectOneLine(
      await run(["compact", EXAMPLE, "--policy", file("torn.json", "{"), "--store", newStore()]),
      {
        code: 1,
        says: "is not JSON",
      },
    );
  });

  test("a store that cannot be made is one clear line", async () => {
    const taken = file("taken", "a file where the folder should be");
    expectOneLine(await run(["compact", EXAMPLE, "--store", join(taken, "store")]), {
      code: 1,
      says: "store",
    });
  });

  test("a place that cannot be written is one clear line, and nothing is left behind", async () => {
    const body = file("unwritable.json", longBody("unwritable"));
    const locked = join(folder, "locked");
    mkdirSync(locked);
    for (const out of [join(locked, "no", "out.json"), "/dev/full/out.json", locked]) {
      expectOneLine(await run(["compact", body, ...WINDOW, "--store", newStore(), "-o", out]), {
        code: 1,
        says: "Cannot write",
      });
    }
    chmodSync(locked, 0o700);
    expect(readdirSync(locked)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test.each([
    [["compact"], "Which session?"],
    [["compact", EXAMPLE, "--target", "-5"], '--target takes a whole number; "-5" is none'],
    [["compact", EXAMPLE, "--focus", "--json"], "--focus needs a value"],
    [["compact", EXAMPLE, "--target", "0"], "--target is at least 1"],
    [["compact", EXAMPLE, "--window", "0"], "--window is at least 1"],
    [["compact", "a", "b"], "one too many"],
    [["compact", EXAMPLE, "--window", "wide"], "--window takes a whole number"],
    [["compact", EXAMPLE, "--cascade", "0"], "--cascade is from 1"],
    [["compact", EXAMPLE, "--to", "openai-chat"], "-o is missing"],
    [["compact", EXAMPLE, "-o", "-", "--json"], "take one"],
    [["compact", EXAMPLE, "--policy", "greedy"], 'There is no policy "greedy". Known: palimpsest'],
    [["compact", EXAMPLE, "--wire", "cursor"], 'There is no wire "cursor". Known: claude-code'],
    [["compact", EXAMPLE, "--to", "smoke", "-o", "x"], 'There is no request body "smoke". Known: anthropic'],
    [["compact", EXAMPLE, "--summarizer", "magic"], "--summarizer is extractive"],
    [["compact", EXAMPLE, "--summarizer", "model:anthropic/claude-haiku-4-5"], "ANTHROPIC_API_KEY"],
    [["compact", EXAMPLE, "--summarizer", "model:acme/x"], 'There is no provider "acme"'],
  ])("%j is a usage error", async (words, says) => {
    expectOneLine(await run(words), { code: 2, says });
  });
});
