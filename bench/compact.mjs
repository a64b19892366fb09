/**
 * Compacting without a model against parsing and printing the same session; one more message at 100,000 against at 1,000;
 * and a step of a session that edits one file all along, at 4,000 against at 500: each edit against each line would show here.
 */
import { readFileSync } from "node:fs";
import { compact, memoryStore, openFile, openSession, policyNamed, readSession } from "../dist/index.js";
import { processorMs, ratioAwaited, settle } from "./ratio.mjs";

const EXAMPLE = new URL("../examples/sessions/webhook-retries.jsonl", import.meta.url).pathname;

export async function benchCompact() {
  return [await benchWhole(), await benchPrepare(), await benchOneFile()];
}

async function benchWhole() {
  const lines = readFileSync(EXAMPLE, "utf8").trim().split("\n");
  const { whole } = readSession(openFile(EXAMPLE));
  const floor = () => {
    settle();
    const start = processorMs();
    for (const line of lines) JSON.stringify(JSON.parse(line));
    return processorMs() - start;
  };
  const work = async () => {
    const store = memoryStore();
    await store.openSession({ id: "s", at: 0 });
    // A copy: parts are counted and hashed once per object, and a second run would find that done. A host has had its
    // conversation for a while; to move one that was made just now out of the collector's way is no work of ours.
    const transcript = structuredClone(whole);
    settle();
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

async function benchOneFile() {
  const perStep = (steps) => async () => {
    const store = memoryStore();
    await store.openSession({ id: "s", at: 0 });
    const messages = Array.from({ length: steps }, (_, index) => editStep(index)).flat();
    const options = { store, sessionId: "s", policy: policyNamed("palimpsest"), trigger: "manual", at: 0 };
    const start = processorMs();
    const { kind } = await compact({ messages }, { ...options, windowTokens: 50_000 });
    if (kind !== "compacted") throw new Error("nothing was compacted: this measures nothing");
    return (processorMs() - start) / steps;
  };
  return ratioAwaited({
    name: "compact, per step: 4,000 steps on one file against 500",
    limit: 1.5,
    floor: perStep(500),
    work: perStep(4_000),
    rounds: 5,
    warm: 2,
  });
}

/** Read a piece of the file, change it, and so on. */
function editStep(index) {
  const callId = `c${index}`;
  const rows = (name, count) =>
    Array.from({ length: count }, (_, row) => `const ${name}_${row} = compute(${index * row});`).join("\n");
  const isRead = index % 2 === 0;
  const [name, input] = isRead
    ? ["Read", { file_path: "src/big.ts", offset: index, limit: 20 }]
    : [
        "Edit",
        {
          file_path: "src/big.ts",
          old_string: rows(`value_${index - 1}`, 10),
          new_string: rows(`fresh_${index}`, 10),
        },
      ];
  const text = isRead ? rows(`value_${index}`, 20) : "ok";
  const user = { role: "user", parts: [{ type: "text", text: "Go through the file." }] };
  return [
    ...(index === 0 ? [user] : []),
    { role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    {
      role: "tool",
      parts: [{ type: "tool-result", callId, isError: false, output: [{ type: "text", text }] }],
    },
  ];
}

function message(index) {
  const content = `message ${index}: const value_${index} = compute(${index});`;
  return { role: index % 2 === 0 ? "user" : "assistant", content };
}
