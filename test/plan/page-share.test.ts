/** How the tokens of a page are shared out. */
import { expect, test } from "vitest";
import { pageShares } from "../../src/plan/page-share.ts";
import { policyNamed } from "../../src/plan/policies.ts";

const sharesOf = (pageTokens: number) =>
  pageShares(
    policyNamed("palimpsest"),
    { windowTokens: 200_000, outputTokens: 20_000 },
    { pageTokens, carried: [] },
  );

test("a small page gives its narrative a fifth", () => {
  expect(sharesOf(4_200).summaryTokens).toBe(800);
});

test("a large page gives the narrative what lines may not take, up to its own limit", () => {
  const { summaryTokens, tableTokens, lineTokens } = sharesOf(14_200);
  expect(summaryTokens).toBe(14_000 - tableTokens - 8_000);
  expect(lineTokens - summaryTokens).toBe(8_000);
  expect(sharesOf(40_000).summaryTokens).toBe(6_000);
});
