/** Compacting without a model against parsing and printing the same session; one more message at 100,000 against at 1,000. */
import { readFileSync } from "node:fs";
import { compact, memoryStore, openFile, openSession, policyNamed, readSession } from "../dist/index.js";
import { processorMs, ratioAwaited } from "./ratio.mjs";

const EXAMPLE = new URL("../examples/sessions/webhook-retries.jsonl", import.meta.url).pathname;

export async function benchCompact() {
  return [await benchWhole(), await benchPrepare()];
}

async function benchWhole() {
  const lines = readFileSync(EXAMPLE, "utf8").trim().split("\n");
  const { whole } = readSession(openFile(EXAMPLE));
  const floor = () => {
    const start = processorMs();
    for (const line of lines) JSON.stringify(JSON.parse(line));
    return processorMs() - start;
  };
  const work = async () => {
    const store = memoryStore();
    await store.openSession({ id: "s", at: 0 });
    // A copy: parts are counted and hashed once per object, and a second run would find that done.
    const transcript = structuredClone(whole);
    const start = processorMs();
    await compact(transcript, {
      store,
      sessionId: "s",
      policy: policyNamed("palimpsest"),
      trigger: "manual",
      at: 0,
    });
    return processorMs() - start;
  };
  // The floor is native code; ours is measured as compiled, as a server or an agent runs it.
  return ratioAwaited({
    warm: 100,
    name: "compact the bundled session (150k tokens) against JSON.parse + stringify of it",
    limit: 5,
    floor,
    work,
    rounds: 40,
  });
}

async function benchPrepare() {
  const [few, many] = [await grown(1_000), await grown(100_000)];
  return ratioAwaited({
    name: "prepare one more message: at 100,000 against at 1,000",
    limit: 1.5,
    floor: few,
    work: many,
    rounds: 200,
  });
}

/** A session that has seen this many messages, and a function that adds one and says how long preparing it took. */
async function grown(length) {
  const session = await openSession({ model: "claude-opus-4-5", windowTokens: 1_000_000_000 });
  const messages = Array.from({ length }, (_, index) => message(index));
  await session.prepare(messages);
  return async () => {
    messages.push(message(messages.length));
    const start = performance.now();
    await session.prepare(messages);
    return performance.now() - start;
  };
}

function message(index) {
  const content = `message ${index}: const value_${index} = compute(${index});`;
  return { role: index % 2 === 0 ? "user" : "assistant", content };
}
