/** Measuring one more message costs the same after 100 and after 100,000 messages; estimating is linear, whatever the text. */
import { estimateTokens, Meter } from "../dist/index.js";
import { ratio } from "./ratio.mjs";

const BATCH = 500;

export function benchMeasure() {
  return [...benchMeter(), ...benchEstimate()];
}

/** Twice the text, twice the time: also for what makes tokenizers quadratic. */
function benchEstimate() {
  const texts = {
    code: "const value = compute(input); // why\n",
    letters: "a",
    spaces: " ",
    base64: "QUJDZGVmZ2hpSktM",
  };
  return Object.entries(texts).map(([name, unit]) => {
    const once = unit.repeat(Math.ceil(500_000 / unit.length));
    const twice = once + once;
    return ratio({
      name: `estimate twice as much of ${name}`,
      limit: 3,
      floor: () => estimateTokens(once),
      work: () => estimateTokens(twice),
    });
  });
}

function benchMeter() {
  const [few, many] = [100, 100_000].map((length) => {
    const meter = new Meter();
    const said = message("said before", 0);
    for (let index = 0; index < length; index += 1) meter.add(said);
    return meter;
  });
  let made = 0;
  // New objects each time: a part that was counted before costs nothing, and would hide the cost.
  const fresh = () => {
    made += BATCH;
    return Array.from({ length: BATCH }, (_, index) => message("a new result", made + index));
  };
  const add = (meter) => () => {
    for (const next of fresh()) meter.add(next);
  };
  return [
    ratio({
      name: "measure one more message: at 100,000 against at 100",
      limit: 1.5,
      floor: add(few),
      work: add(many),
      rounds: 41,
    }),
  ];
}

function message(text, number) {
  return {
    role: "user",
    parts: [
      {
        type: "text",
        text: `${text} ${number} ${"src/module.ts: const value = compute(input); ".repeat(20)}`,
      },
    ],
  };
}
