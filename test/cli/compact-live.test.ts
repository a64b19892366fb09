/** `--summarizer live:…`: the question goes behind the request that was saved, or that the session would send next. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SECTIONS } from "../../src/plan/summary.ts";
import { list, object } from "../../src/transcript/json.ts";
import { serverFor } from "../testing/ask.ts";
import { longBody } from "./conversation.ts";
import { EXAMPLE, run, scratchFolder } from "./run.ts";

const folder = scratchFolder();
const GOOD = SECTIONS.map((name) =>
  name === "Session Intent" ? `## ${name}\n- Make it resume after a crash` : `## ${name}\n(none)`,
).join("\n");

test("a saved body goes out again as it is, with what its cache is bound to, and the question last", async () => {
  const server = await serverFor([GOOD]);
  const saved = {
    ...JSON.parse(longBody("queue")),
    system: [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "Read", description: "Reads.", input_schema: { type: "object" } }],
    thinking: { type: "enabled", budget_tokens: 2_048 },
    stop_sequences: ["END"],
  };
  const body = join(folder, "saved.json");
  writeFileSync(body, JSON.stringify(saved));
  const words = ["compact", body, "--window", "20000", "--dry-run", "--json"];
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const { code, out, err } = await run([...words, "--summarizer", "live:anthropic/claude-sonnet-4-5"], {
    env,
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out).outcome).toMatchObject({ kind: "compacted" });
  expect(server.violations).toEqual([]);
  const asked = object(server.requests[0]?.body);
  expect(server.requests).toHaveLength(1);
  for (const field of ["system", "tools", "thinking"])
    expect(JSON.stringify(asked[field])).toBe(JSON.stringify(saved[field]));
  expect(JSON.stringify(list(asked["messages"]).slice(0, -1))).toBe(JSON.stringify(saved.messages));
  expect(asked["stop_sequences"]).toBeUndefined();
  expect(asked["max_tokens"]).toBeGreaterThan(2_048);
});

test("a session file is spelled for the provider, and legal", async () => {
  const server = await serverFor([GOOD]);
  const words = ["compact", EXAMPLE, "--dry-run", "--json", "--summarizer", "live:openai-compatible/gpt-4.1"];
  const { code, out } = await run(words, { env: { OPENAI_BASE_URL: `${server.url}/v1` } });
  expect(code).toBe(0);
  expect(JSON.parse(out).outcome).toMatchObject({ kind: "compacted" });
  expect(server.violations).toEqual([]);
  expect(list(object(server.requests[0]?.body)["messages"]).length).toBeGreaterThan(20);
});
