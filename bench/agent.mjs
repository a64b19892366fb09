/**
 * What the agent itself takes for a step, without the model: the time between a response and the next request. The model
 * answers at once, in process; the window is small, so that it compacts all along. Flat: a step behind 1,000 others takes
 * what one behind 10 takes. In processor time: the two ends of one run are minutes apart on a busy machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAgent } from "../dist/agent/index.js";
import { memoryStore } from "../dist/index.js";

const STEPS = 1_000;
/** Steps on each side that are compared: wide enough to hold clearing and folds, and the noise of a machine. */
const WIDE = 90;

export async function benchAgent() {
  const folder = mkdtempSync(join(tmpdir(), "bench-agent-"));
  try {
    const times = await stepTimes(folder);
    const [early, late] = [times.slice(10, 10 + WIDE), times.slice(-WIDE)];
    const [floorMs, workMs] = [mean(early), mean(late)];
    const name = "agent: a step without its model, steps 910–1,000 against steps 10–100";
    return [{ name, limit: 1.5, floorMs, workMs, value: workMs / floorMs, isOver: workMs / floorMs > 1.5 }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stepTimes(folder) {
  writeFileSync(
    join(folder, "rows.txt"),
    Array.from({ length: 80 }, (_, row) => `row ${row} of the file\n`).join(""),
  );
  const { model, times } = timingModel();
  const agent = await openAgent({
    model: { model, name: "claude-sonnet-4-5", provider: "custom" },
    workspace: folder,
    home: folder,
    store: memoryStore(),
    windowTokens: 32_000,
    budgets: { turns: 1e9, tokens: 1e12, toolCalls: 1e9, usd: 1e9, minutes: 1e3 },
  });
  const ending = await agent.run("Read the rows.");
  await agent.close();
  if (ending.kind !== "done") throw new Error(`the agent did not finish: ${JSON.stringify(ending)}`);
  return times;
}

/** A model of the AI SDK that answers at once, and notes how long the agent took to come back. */
function timingModel() {
  const times = [];
  let answeredAt;
  let step = 0;
  const model = {
    specificationVersion: "v3",
    provider: "bench",
    modelId: "claude-sonnet-4-5",
    supportedUrls: {},
    async doStream({ prompt }) {
      if (answeredAt !== undefined) times.push(cpuMs() - answeredAt);
      step += 1;
      const parts = answer(step, JSON.stringify(prompt).length / 4);
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            answeredAt = cpuMs();
            controller.close();
          },
        }),
      };
    },
  };
  return { model, times };
}

function answer(step, promptTokens) {
  const usage = {
    inputTokens: {
      total: Math.round(promptTokens),
      noCache: Math.round(promptTokens),
      cacheRead: 0,
      cacheWrite: 0,
    },
    outputTokens: { total: 30, text: 30, reasoning: 0 },
  };
  const isLast = step > STEPS;
  const said = [
    { type: "text-start", id: "0" },
    {
      type: "text-delta",
      id: "0",
      delta: isLast ? "Done." : `Step ${step}: I read the rows again, because they may have changed.`,
    },
    { type: "text-end", id: "0" },
  ];
  const call = {
    type: "tool-call",
    toolCallId: `call_${step}`,
    toolName: "read_file",
    input: '{"path":"rows.txt"}',
  };
  const finishReason = { unified: isLast ? "stop" : "tool-calls", raw: undefined };
  return [
    { type: "stream-start", warnings: [] },
    ...said,
    ...(isLast ? [] : [call]),
    { type: "finish", usage, finishReason },
  ];
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
