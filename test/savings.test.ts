/** Prices of claude-sonnet-4-5: $3 in, $15 out, $0.30 cache read, $3.75 cache write, per million tokens. */
import { describe, expect, test } from "vitest";
import type { Compaction, LedgerEntry } from "../src/plan/ledger.ts";
import { netSavings, type Savings } from "../src/savings.ts";
import type { Usage } from "../src/transcript/message.ts";
import { refOf } from "../src/transcript/ref.ts";

const model = "claude-sonnet-4-5";
const minute = 60_000;

const asked = (at: number, tokensWithoutUs: number, usage: Partial<Usage>): LedgerEntry => ({
  kind: "requested",
  at: at * minute,
  tokensWithoutUs,
  usage: { uncachedTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, ...usage },
});
const compacted = (more: Partial<Compaction> = {}): LedgerEntry => ({
  kind: "compaction",
  id: "1",
  at: 0,
  policy: "palimpsest",
  trigger: "auto",
  edits: [],
  tokensBefore: 0,
  tokensAfter: 0,
  ...more,
});
const recalled = (tokens: number): LedgerEntry => ({
  kind: "recalled",
  at: 0,
  ref: refOf({ type: "text", text: "a" }),
  tokens,
});
const line = ({ lines }: Savings, what: string) => lines.find((found) => found.what === what);

describe("netSavings", () => {
  test("nothing done is nothing saved", () => {
    const savings = netSavings(
      [
        asked(0, 10_000, { cacheWriteTokens: 10_000 }),
        asked(1, 11_000, { cacheReadTokens: 10_000, cacheWriteTokens: 1000 }),
      ],
      { model },
    );
    expect(savings.tokens).toBe(0);
    expect(savings.usd).toBeCloseTo(0, 10);
    expect(savings.text).toBe("0 tokens saved net over 2 requests ($0.00).");
  });

  test("a compaction saves tokens in every later prompt, and its cache rewrite is paid once", () => {
    const savings = netSavings(
      [
        asked(0, 100_000, { cacheWriteTokens: 100_000 }),
        compacted(),
        // 30,000 are left, of which 10,000 are still cached; 1,000 are new.
        asked(1, 101_000, { cacheReadTokens: 10_000, cacheWriteTokens: 21_000 }),
        asked(2, 102_000, { cacheReadTokens: 31_000, cacheWriteTokens: 1000 }),
      ],
      { model },
    );
    expect(savings.tokens).toBe(101_000 - 31_000 + 102_000 - 32_000);
    // 20,000 were written again at 3.75 instead of read at 0.30.
    expect(line(savings, "cache rewrites")).toEqual({
      what: "cache rewrites",
      tokens: 0,
      usd: expect.closeTo(-0.069),
    });
    // Without us: 100k and 101k read, 1k written each; with us: 10k + 31k read, 21k + 1k written.
    const without = (100_000 + 101_000) * 0.3 + 2000 * 3.75;
    const sent = (10_000 + 31_000) * 0.3 + 22_000 * 3.75;
    expect(savings.usd).toBeCloseTo((without - sent) / 1e6, 10);
    expect(savings.usd).toBeLessThan(0);
    expect(savings.text).toContain("140,000 tokens saved net over 3 requests (a loss of $0.03)");
  });

  test("the lines add up to the result", () => {
    const savings = netSavings(
      [
        asked(0, 50_000, { cacheWriteTokens: 50_500, outputTokens: 300 }),
        compacted({
          summarizing: {
            by: "model",
            costUsd: 0.05,
            usage: { uncachedTokens: 40_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 900 },
          },
        }),
        asked(1, 52_000, { cacheReadTokens: 4000, cacheWriteTokens: 9000, outputTokens: 200 }),
        recalled(3000),
        asked(2, 56_000, { cacheReadTokens: 13_000, cacheWriteTokens: 3100, outputTokens: 500 }),
      ],
      { model, overheadTokens: 500 },
    );
    const sum = (of: (line: Savings["lines"][number]) => number) =>
      savings.lines.reduce((all, row) => all + of(row), 0);
    expect(sum(({ tokens }) => tokens)).toBe(savings.tokens);
    expect(sum(({ usd }) => usd)).toBeCloseTo(savings.usd ?? 0, 10);
    expect(line(savings, "standing overhead")?.tokens).toBe(-1500);
    expect(line(savings, "summaries")).toEqual({ what: "summaries", tokens: -40_900, usd: -0.05 });
  });

  test("what was fetched back counts against it: the copy in later histories and the request that fetched", () => {
    const savings = netSavings(
      [
        compacted(),
        asked(0, 60_000, { uncachedTokens: 20_000, outputTokens: 100 }),
        recalled(5000),
        asked(1, 65_000, { uncachedTokens: 25_000, outputTokens: 700 }),
      ],
      { model },
    );
    // Without us one request, of 60,000 tokens and the same answer; with us two.
    expect(savings.tokens).toBe(60_000 + 700 - (20_100 + 25_700));
    expect(line(savings, "fetched back")?.tokens).toBe(-(60_100 + 5000));
  });

  test("overhead with nothing left out is a loss, and it says so", () => {
    const savings = netSavings([asked(0, 10_000, { uncachedTokens: 10_500 })], {
      model,
      overheadTokens: 500,
    });
    expect(savings.tokens).toBe(-500);
    expect(line(savings, "sent")?.tokens).toBe(-10_000);
    expect(savings.text).toBe(
      "A net loss of 500 tokens over 1 request (a loss of $0.00): so far more was added than left out.",
    );
  });

  test("no more is claimed than the window could have held", () => {
    const savings = netSavings([asked(0, 900_000, { uncachedTokens: 50_000 })], { model });
    expect(savings.tokens).toBe(150_000);
  });

  test("a cold cache would have been cold without us too", () => {
    const savings = netSavings(
      [
        asked(0, 100_000, { cacheWriteTokens: 100_000 }),
        compacted(),
        asked(60, 100_000, { cacheWriteTokens: 30_000 }),
      ],
      { model },
    );
    expect(line(savings, "cache rewrites")?.usd).toBe(0);
    expect(savings.usd).toBeCloseTo((70_000 * 3.75) / 1e6, 10);
  });

  test("a host that does not cache is compared with one that does not", () => {
    const savings = netSavings(
      [
        asked(0, 100_000, { uncachedTokens: 100_000 }),
        compacted(),
        asked(1, 100_000, { uncachedTokens: 30_000 }),
      ],
      { model },
    );
    expect(savings.usd).toBeCloseTo((70_000 * 3) / 1e6, 10);
  });

  test("an unknown price gives tokens and the reason, a request's own model its own price", () => {
    const entry = asked(0, 100_000, { uncachedTokens: 40_000 });
    const unknown = netSavings([entry], { model: "my-model" });
    expect(unknown.tokens).toBe(60_000);
    expect(unknown).not.toHaveProperty("usd");
    expect(unknown.because).toContain("my-model");
    expect(unknown.text).toContain("in USD unknown");
    expect(netSavings([{ ...entry, model }] as LedgerEntry[]).usd).toBeCloseTo(0.18, 10);
  });

  test("without a request nothing is claimed", () => {
    expect(netSavings([compacted()], { model })).toMatchObject({ tokens: 0, requests: 0 });
    expect(netSavings([]).text).toContain("nothing is known to be saved");
  });

  test("adds up over a long session", () => {
    const ledger = Array.from({ length: 5000 }, (_, at) => asked(at, 1000, { uncachedTokens: 900 }));
    expect(netSavings(ledger, { model }).tokens).toBe(500_000);
  });
});
