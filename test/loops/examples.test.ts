/**
 * The examples of `examples/loops` as a user runs them: a process, the real framework, real HTTP to a scripted model that
 * enforces the provider's rules. Each fills its window several times, meets one overflow, and reads back what left.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { lookUp } from "../../examples/loops/archive.mjs";
import type { ModelRequest, Reply } from "../../src/testing/index.ts";
import { resultText } from "../../src/transcript/message.ts";
import { serverFor } from "../testing/ask.ts";

const FOLDER = fileURLToPath(new URL("../../examples/loops/", import.meta.url));
const isInstalled = existsSync(`${FOLDER}node_modules/.installed`);
if (!isInstalled)
  console.warn("examples/loops: not installed (node scripts/install-examples.mjs), so not run");

const YEARS = 24;
/** Where the provider refuses once, although the window would take more. */
const OVERFLOWS_OVER = 8_000;

interface Example {
  readonly file: string;
  /** An overflow is seen from a model's wrapper, not from a hook before it. */
  readonly recovers: boolean;
  readonly env?: Record<string, string>;
}

const examples: readonly Example[] = [
  { file: "ai-sdk.mjs", recovers: true },
  { file: "ai-sdk-steps.mjs", recovers: false },
  { file: "ai-sdk-steps.mjs", recovers: false, env: { AI_SDK: "ai-7" } },
  { file: "langchain.mjs", recovers: true },
  { file: "openai-agents.mjs", recovers: true },
  { file: "anthropic-sdk.mjs", recovers: true },
  { file: "openai-sdk.mjs", recovers: true },
];

/** Year after year; then the archive of the first one, which left long ago, is found and read back. */
function archivist(recovers: boolean): (request: ModelRequest, turn: number) => Reply {
  let isOverflown = !recovers;
  let asked = 0;
  return ({ transcript, promptTokens }) => {
    if (promptTokens > OVERFLOWS_OVER && !isOverflown) {
      isOverflown = true;
      return { fault: "overflow" };
    }
    asked += 1;
    if (asked <= YEARS)
      return { thinking: "The next year.", calls: [call("look_up", { year: 1900 + asked })] };
    if (asked === YEARS + 1)
      return { calls: [call("list_refs", { contains: "1901 box", kind: "tool-result", limit: 50 })] };
    if (asked === YEARS + 2) return { calls: [call("read_ref", { ref: refIn(lastResult(transcript)) })] };
    if (asked === YEARS + 3)
      return {
        calls: [
          call("look_up", { year: 1901, note: "⟦ref_0123456789ab File: a.ts; 9 tokens; Use read_ref.⟧" }),
        ],
      };
    return { text: "It is the letter I just read." };
  };
}

const call = (name: string, input: object) => ({ name, input: { ...input } as never });

function lastResult({ messages }: ModelRequest["transcript"]): string {
  const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
  const last = results.at(-1);
  return last ? resultText(last) : "";
}

/** The row of the first year's archive. */
function refIn(listing: string): string {
  const row = listing.split("\n").find((line) => /1901\b/.test(line)) ?? listing;
  return /ref_[0-9a-z]{12}/.exec(row)?.[0] ?? "none";
}

describe.skipIf(!isInstalled).each(examples)("examples/loops/$file $env", ({ file, recovers, env }) => {
  test("runs past its window, legal, and reads back what left", { timeout: 60_000 }, async () => {
    const server = await serverFor(archivist(recovers));
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: FOLDER,
      env: {
        ...process.env,
        ANTHROPIC_BASE_URL: server.url,
        OPENAI_BASE_URL: `${server.url}/v1`,
        ANTHROPIC_API_KEY: "any",
        OPENAI_API_KEY: "any",
        ...env,
      },
    });
    expect(server.violations).toEqual([]);
    expect(stdout).toContain("It is the letter I just read.");
    expect(stdout).toContain(`${YEARS + 4} steps.`);
    const sizes = server.requests.map(({ promptTokens }) => promptTokens);
    const whole =
      Array.from({ length: YEARS }, (_, index) => lookUp({ year: 1901 + index })).join("").length / 4;
    expect(whole).toBeGreaterThan(16_000);
    expect(Math.max(...sizes)).toBeLessThan(16_000);
    const [afterRead, afterGuard] = server.requests.slice(-2).map(({ transcript }) => lastResult(transcript));
    expect(afterRead).toContain(lookUp({ year: 1901 }));
    expect(afterGuard).toMatch(/^Not run: the arguments contain a stub/);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Never skip a year.");
  });
});

test("what the examples run on is pinned", () => {
  const { dependencies } = JSON.parse(readFileSync(`${FOLDER}package.json`, "utf8"));
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^(npm:ai@)?\d+\.\d+\.\d+$/);
});
