import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ConfigError, loadConfig, merge } from "../src/config.js";

function folderWith(files) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-config-"));
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return folder;
}

const delivery = { timeoutMs: 2750, maxAttempts: 3, baseDelayMs: 1000, concurrency: 4 };

describe("configuration", () => {
  test("the default listens on 8477", () => {
    assert.equal(loadConfig({}).port, 8477);
  });

  test("the default waits 2750 ms for a receiver", () => {
    assert.equal(loadConfig({}).delivery.timeoutMs, 2750);
  });

  test("production changes the host and keeps the port", () => {
    const config = loadConfig({ HOOKLINE_ENV: "production" });
    assert.equal(config.host, "0.0.0.0");
    assert.equal(config.port, 8477);
  });

  test("production changes one delivery setting and keeps the others", () => {
    const config = loadConfig({ HOOKLINE_ENV: "production" });
    assert.equal(config.delivery.concurrency, 16);
    assert.equal(config.delivery.timeoutMs, 2750);
  });

  test("HOOKLINE_PORT wins", () => {
    assert.equal(loadConfig({ HOOKLINE_PORT: "0" }).port, 0);
  });

  test("HOOKLINE_JOURNAL wins", () => {
    assert.equal(loadConfig({ HOOKLINE_JOURNAL: "/tmp/j.ndjson" }).journal, "/tmp/j.ndjson");
  });

  test("an unknown environment is an error", () => {
    assert.throws(() => loadConfig({ HOOKLINE_ENV: "moon" }), /there is no .*moon\.json/);
  });

  test("a port that is no port is an error", () => {
    assert.throws(() => loadConfig({ HOOKLINE_PORT: "http" }), /port is NaN, not a port number/);
  });

  test("all problems are said at once", () => {
    const folder = folderWith({ "default.json": { port: -1, delivery: { ...delivery, maxAttempts: 0 } } });
    assert.throws(
      () => loadConfig({}, folder),
      (error) => error instanceof ConfigError && error.problems.length === 2,
    );
  });

  test("a file that is not JSON names the file", () => {
    const folder = folderWith({ "default.json": "{ port: 1 }" });
    assert.throws(() => loadConfig({}, folder), /default\.json: /);
  });

  test("merge replaces lists", () => {
    assert.deepEqual(merge({ a: [1, 2], b: { c: 1, d: 2 } }, { a: [3], b: { d: 4 } }), { a: [3], b: { c: 1, d: 4 } });
  });

  test("merge does not change its arguments", () => {
    const base = { b: { c: 1 } };
    merge(base, { b: { c: 2 } });
    assert.deepEqual(base, { b: { c: 1 } });
  });
});
