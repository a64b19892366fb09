/** Planning is linear in the steps: one of 8,000 costs what one of 1,000 costs. New objects each round: counts are kept by part. */
import { viewOf } from "../dist/apply/view.js";
import { estimatorFor } from "../dist/measure/count.js";
import { measure } from "../dist/measure/measure.js";
import { makePlan } from "../dist/plan/plan.js";
import { policyNamed } from "../dist/plan/policies.js";

const MODEL = "claude-opus-4-5";
const [FEW, MANY] = [1_000, 8_000];
const ROUNDS = 7;
const LIMIT = 1.5;

export function benchPlan() {
  const [floors, works] = [[], []];
  // The first rounds warm both.
  for (let round = -2; round < ROUNDS; round += 1) {
    const [floor, work] = [planned(FEW), planned(MANY)];
    if (round >= 0) floors.push(floor) && works.push(work);
  }
  const [floorMs, workMs] = [median(floors), median(works)];
  const value = workMs / MANY / (floorMs / FEW);
  return [
    {
      name: "plan, per step: at 8,000 steps against at 1,000",
      value,
      limit: LIMIT,
      floorMs,
      workMs,
      isOver: value > LIMIT,
    },
  ];
}

function planned(steps) {
  const { transcript, addresses } = viewOf({ model: MODEL, messages: conversation(steps) }, []);
  const counter = estimatorFor(MODEL);
  const input = {
    transcript,
    addresses,
    tokensOf: (part) => counter.part(part),
    totalTokens: measure(transcript).total,
    windowTokens: 200_000,
    outputTokens: 32_000,
    policy: policyNamed("palimpsest"),
    trigger: "manual",
    at: 0,
  };
  const start = performance.now();
  makePlan(input);
  return performance.now() - start;
}

/** Reads of 200 files again and again, commands between them, and the user every twenty steps. */
function conversation(steps) {
  return Array.from({ length: steps }, (_, index) => step(index)).flat();
}

function step(index) {
  const callId = `c${index}`;
  const [name, input] =
    index % 3 === 0
      ? ["Read", { file_path: `src/f${index % 200}.ts` }]
      : ["Bash", { command: `npm test -- ${index}` }];
  const text = `result ${index}: ${"a line of output\n".repeat(20)}`;
  return [
    ...(index % 20 === 0
      ? [{ role: "user", parts: [{ type: "text", text: `go on with part ${index}` }] }]
      : []),
    { role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    {
      role: "tool",
      parts: [{ type: "tool-result", callId, isError: false, output: [{ type: "text", text }] }],
    },
  ];
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
