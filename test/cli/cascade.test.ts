/** Compacted three times by any of the seeds' systems, the file comes back to the byte: by what was written, and by its name. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompactReport } from "../../src/cli/compact-report.ts";
import { list, object, parseJson } from "../../src/transcript/json.ts";
import { bodyWireNamed } from "../../src/wire/wires.ts";
import { longBody } from "./conversation.ts";
import { run, scratchFolder } from "./run.ts";

const folder = scratchFolder();

const SEEDS = ["nucleic", "layered", "summarize", "pointerize", "hybrid", "opencode", "claude-code", "ion"];

/** The same work as different programs keep it. */
const fixtures: Readonly<Record<string, string>> = {
  "body.json": longBody("queue"),
  "chat.json": JSON.stringify(asChat(longBody("worker")), null, 2),
  "claude.jsonl": asClaudeCode(longBody("mailer")),
};

function asChat(body: string) {
  return bodyWireNamed("openai-chat").write(bodyWireNamed("anthropic-messages").read(JSON.parse(body)));
}

function asClaudeCode(body: string): string {
  const records = list(object(parseJson(body))["messages"]).map((message, index) => {
    const { role = "user" } = object(message);
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const parentUuid = index === 0 ? null : `00000000-0000-4000-8000-${String(index - 1).padStart(12, "0")}`;
    const model = role === "assistant" ? { model: "claude-sonnet-4-5", id: `msg_${index}` } : {};
    const facts = { sessionId: "5e551011", version: "2.1.197", cwd: "/work", isSidechain: false };
    const timestamp = new Date(Date.UTC(2026, 10, 18) + index * 1000).toISOString();
    return { parentUuid, ...facts, type: role, message: { ...object(message), ...model }, uuid, timestamp };
  });
  return `${records.map((record) => JSON.stringify(record)).join("\n")}\n`;
}

const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe.each(Object.entries(fixtures))("%s", (name, content) => {
  test.each([...SEEDS, "palimpsest"])("by %s", async (policy) => {
    const place = (file: string) => join(folder, `${policy}-${file}`);
    const [path, out, back] = [place(name), place(`out-${name}`), place(`back-${name}`)];
    writeFileSync(path, content);
    const store = ["--store", place(`${name}-store`)];
    const words = ["--policy", policy, "--cascade", "3", "--window", "16000", "-o", out, "--json", ...store];
    const done = await run(["compact", path, ...words]);
    expect([done.code, done.err]).toEqual([0, ""]);
    const { outcome, tokensAfter, tokensBefore }: CompactReport = JSON.parse(done.out);
    expect(outcome.kind).toBe("compacted");
    expect(tokensAfter).toBeLessThan(tokensBefore);
    expect(sha256(out)).not.toBe(sha256(path));
    const session = outcome.kind === "compacted" ? outcome.session : "";
    for (const given of [out, session]) {
      const restored = await run(["restore", given, "-o", back, ...store]);
      expect([restored.code, restored.err]).toEqual([0, ""]);
      expect(restored.out).toContain(sha256(path));
      expect(sha256(back)).toBe(sha256(path));
    }
  });
});
