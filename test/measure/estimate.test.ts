import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/measure/estimate.ts";
import { KINDS } from "../../src/measure/pieces.ts";
import { windowsOf } from "../../src/measure/tokenizer.ts";
import { WEIGHTS } from "../../src/measure/weights.ts";

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join("");
const hash = (index: number) => Math.imul(index + 1, 2654435761) >>> 0;

/** Texts of our own making, one of each kind an agent meets. The fit never saw them. */
const texts: Record<string, string> = {
  prose:
    "The old bridge had been closed for nine years when the council finally voted to repair it. Nobody in the village " +
    "remembered why the first attempt failed, although everyone had an opinion about whose fault it was.\n\n" +
    "What they agreed on was the river: it came up every spring, carried branches and sometimes whole trees, and took " +
    "another stone from the western pillar each time.",
  code: times(
    12,
    (index) => `
export async function loadProfile${index}(userId: string, options: LoadOptions = {}): Promise<Profile | undefined> {
  const response = await client.get(\`/users/\${userId}/profile\`, { timeoutMs: options.timeoutMs ?? 5_000 });
  if (response.status === 404) return undefined;
  return parseProfile(response.body);
}
`,
  ),
  json: JSON.stringify(
    Array.from({ length: 30 }, (_, index) => ({
      id: index * 17,
      name: `item ${index}`,
      tags: ["new", "blue"],
      price: index * 1.25,
      parent: null,
    })),
    null,
    2,
  ),
  log: times(
    40,
    (index) =>
      `2026-03-${10 + (index % 18)}T08:${10 + (index % 49)}:07.${100 + index}Z INFO  [worker-${index % 7}] finished job ${hash(index).toString(16)} in ${index * 13}ms\n`,
  ),
  listing: times(
    40,
    (index) =>
      `-rw-r--r--  1 root root ${String(hash(index) % 99999).padStart(8)} Mar ${10 + (index % 18)} 12:${10 + (index % 49)} report_${index}.test.ts\n`,
  ),
  hashes: times(
    60,
    (index) =>
      `${hash(index).toString(16)}${hash(index * 3).toString(16)}${hash(index * 7).toString(16)} vendor/file${index}.bin\n`,
  ),
  base64: Buffer.from(
    times(300, (index) => String.fromCharCode(hash(index) & 255, (hash(index) >> 8) & 255)),
    "latin1",
  ).toString("base64"),
  numbers: times(
    80,
    (index) => `${index},${hash(index) % 1000},${(hash(index) % 100000) / 1000},${hash(index * 5) % 77}\n`,
  ),
  diff: times(
    15,
    (index) =>
      `@@ -${index * 20},6 +${index * 20},7 @@ function render() {\n   const items = list.filter(Boolean);\n-  return items.map(draw);\n+  if (items.length === 0) return null;\n+  return items.map((item) => draw(item));\n }\n`,
  ),
  chinese:
    "这座旧桥已经关闭了九年，直到议会终于投票决定修复它。村里没有人记得第一次尝试为什么失败，尽管每个人都有自己的看法。".repeat(
      4,
    ),
  japanese:
    "その古い橋は九年間閉鎖されていたが、ようやく議会が修理を決めた。村の人は誰も最初の失敗の理由を覚えていない。".repeat(
      4,
    ),
  russian:
    "Старый мост был закрыт девять лет, пока совет наконец не проголосовал за ремонт. Никто в деревне не помнил, почему первая попытка не удалась.".repeat(
      3,
    ),
  windows: times(
    30,
    (index) =>
      `C:\\Users\\me\\project\\src\\module${index}\\index.ts(${index},12): error TS2304: Cannot find name 'foo${index}'.\r\n`,
  ),
};

const exact = (text: string) => [...windowsOf(text)].reduce((sum, window) => sum + countTokens(window), 0);

describe("the estimator", () => {
  test("has a weight for every kind of piece, and none below zero", () => {
    expect(WEIGHTS.length).toBe(KINDS);
    expect([...WEIGHTS].every((weight) => weight >= 0 && weight < 10)).toBe(true);
  });

  test.each(Object.keys(texts))("is within a fifth of o200k on %s", (kind) => {
    const text = texts[kind] ?? "";
    expect(Math.abs(estimateTokens(text) / exact(text) - 1)).toBeLessThan(0.2);
  });

  test("is within 8 % of o200k on average over them", () => {
    const errors = Object.values(texts).map((text) => Math.abs(estimateTokens(text) / exact(text) - 1));
    expect(errors.reduce((sum, error) => sum + error) / errors.length).toBeLessThan(0.08);
  });

  test("counts nothing for nothing and something for anything", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["a", " ", "\n", ".", "\ud83d", "漢", "\u0000"])
      expect(estimateTokens(text)).toBeGreaterThan(0);
  });

  test.each([
    ["one letter", "a", 8],
    ["spaces", " ", 128],
    ["one sign", "=", 64],
    ["lone surrogates", "\udc00", 1],
    ["mixed signs", "=#/<$", 1.5],
    ["a long base64 line", "QUJDZGVmZ2hpSktM", 1.5],
  ])("a megabyte of %s is not absurd", (_name, unit, charsPerToken) => {
    const text = unit.repeat(Math.ceil(1e6 / unit.length));
    const tokens = estimateTokens(text);
    expect(tokens).toBeGreaterThan(text.length / charsPerToken / 4);
    expect(tokens).toBeLessThan((text.length / charsPerToken) * 4);
  });
});
