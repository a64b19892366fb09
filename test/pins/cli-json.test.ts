/** What the commands print with --json: keys that other people's scripts rely on. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longBody } from "../cli/conversation.ts";
import { run, scratchFolder } from "../cli/run.ts";

const folder = scratchFolder();
const store = join(folder, "store");
const path = join(folder, "session.json");
writeFileSync(path, longBody("pinned"));

async function keysOf(...words: readonly string[]): Promise<readonly string[]> {
  const { code, out } = await run([...words, "--store", store, "--json"]);
  expect(code).toBe(0);
  const json = JSON.parse(out);
  return Object.keys(Array.isArray(json) ? json[0] : json);
}

test("compact --json", async () => {
  const { out } = await run(["compact", path, "--window", "20000", "--store", store, "--json"]);
  const json = JSON.parse(out);
  expect(Object.keys(json)).toEqual([
    "policy",
    "tokensBefore",
    "tokensAfter",
    "ratio",
    "messagesBefore",
    "messagesAfter",
    "edits",
    "summary",
    "refs",
    "elapsedMs",
    "outcome",
    "quality",
  ]);
  expect(Object.keys(json.quality)).toEqual([
    "compressionRatio",
    "replaced",
    "cacheHitRate",
    "failedApproaches",
    "sections",
    "taskContinuation",
  ]);
  expect(Object.keys(json.edits[0])).toEqual(["kind", "ref", "why", "tokens"]);
  expect(Object.keys(json.refs[0])).toEqual(["ref", "kind", "description", "tokens"]);
  expect(Object.keys(json.outcome)).toEqual(["kind", "session", "compactions", "notes"]);
  const none = await run(["compact", path, "--policy", "none", "--store", store, "--json"]);
  expect(Object.keys(JSON.parse(none.out).outcome)).toEqual(["kind", "because", "detail", "notes"]);
});

test("the other commands", async () => {
  await run(["compact", path, "--window", "20000", "--store", store]);
  const { out } = await run(["refs", "--store", store, "--json"]);
  const { session, rows } = JSON.parse(out);
  expect(await keysOf("refs")).toEqual(["session", "total", "rows"]);
  expect(Object.keys(rows[0])).toEqual(["ref", "kind", "description", "tokens", "at"]);
  expect(await keysOf("ref", rows[0].ref)).toEqual([
    "session",
    "ref",
    "kind",
    "description",
    "tokens",
    "at",
    "text",
  ]);
  expect(await keysOf("restore", session, "-o", join(folder, "restored"))).toEqual([
    "session",
    "wire",
    "bytes",
    "sha256",
    "out",
  ]);
  expect(await keysOf("export", session, "-o", join(folder, "exported"))).toEqual([
    "session",
    "lines",
    "out",
  ]);
  expect(await keysOf("gc")).toEqual(["sessions", "blobs", "bytes", "isDryRun"]);
  expect(await keysOf("sessions")).toEqual(
    expect.arrayContaining(["id", "startedAt", "usedAt", "refs", "compactions", "bytes"]),
  );
});
