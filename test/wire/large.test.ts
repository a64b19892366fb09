/** 200 MB, most of it records no model ever sees: memory follows what is kept, not the file. */
import { expect, test } from "vitest";
import { claudeCode } from "../../src/wire/claude-code.ts";
import { sourceFrom } from "../../src/wire/source.ts";

const MB = 1_000_000;
const CHUNK = 65_536;

/** A session file made while it is read: a few messages, and progress records of 20 KB between them. */
function* chunks(megabytes: number): Generator<Uint8Array> {
  const filling = "x".repeat(20_000);
  let pending = Buffer.alloc(0);
  let parent: string | null = null;
  for (let index = 0, written = 0; written < megabytes * MB; index += 1) {
    const uuid = `u${index}`;
    const record =
      index % 100 === 0
        ? { type: "user", message: { role: "user", content: `message ${index}` } }
        : { type: "progress", data: { type: "bash_progress", output: filling } };
    const line = `${JSON.stringify({ parentUuid: parent, uuid, sessionId: "s", isSidechain: false, ...record })}\n`;
    parent = uuid;
    written += line.length;
    pending = Buffer.concat([pending, Buffer.from(line)]);
    while (pending.length >= CHUNK) {
      yield pending.subarray(0, CHUNK);
      pending = pending.subarray(CHUNK);
    }
  }
  yield pending;
}

function heapAfterReading(megabytes: number): { readonly heapMb: number; readonly messages: number } {
  const source = sourceFrom(() => chunks(megabytes));
  globalThis.gc?.();
  const before = process.memoryUsage();
  const session = claudeCode.read(source);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return { heapMb: grown / MB, messages: session.whole.messages.length };
}

test("a 200 MB session is read, and what is kept of it is small", () => {
  const { heapMb, messages } = heapAfterReading(200);
  expect(messages).toBe(101);
  // Without a forced collection garbage of the last chunks is still counted; the file itself would be 200.
  expect(heapMb).toBeLessThan(100);
});

test("a line of 50 MB is one line, whatever the chunks", () => {
  const text = `${JSON.stringify({ type: "user", uuid: "u", parentUuid: null, sessionId: "s", message: { role: "user", content: "y".repeat(50 * MB) } })}\n`;
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
    bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
  );
  const session = claudeCode.read(sourceFrom(() => pieces));
  expect(session.whole.messages[0]?.parts[0]).toMatchObject({ type: "text" });
  expect(session.skipped).toEqual([]);
});
