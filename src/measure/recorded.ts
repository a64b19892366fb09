/** A session file played again: its recorded usage, request by request, calibrates the counts of its parts. */
import { type Calibration, edited, observe, UNCALIBRATED } from "./calibrate.ts";
import { type Counter, estimatorFor } from "./count.ts";
import { Meter } from "./measure.ts";
import { modelNamed } from "./models.ts";
import { type Recording, requestsOf } from "./requests.ts";

export function calibrationOf(
  recording: Recording,
  counter: Counter = estimatorFor(recording.whole.model),
): Calibration {
  const meter = new Meter({ ...recording.whole, messages: [] }, counter);
  let calibration = UNCALIBRATED;
  for (const { response, added, restart } of requestsOf(recording)) {
    if (restart) {
      meter.restart(restart.messages);
      calibration = edited(calibration, restart.kind);
    }
    for (const message of added) meter.add(message);
    calibration = observe(calibration, {
      counted: meter.total,
      usage: response.usage,
      ...(response.ended ? { ended: response.ended } : {}),
    });
  }
  return isOfThis(calibration) && isPossible(calibration, recording.whole.model) ? calibration : UNCALIBRATED;
}

/**
 * Files put together from others, or with messages their host took out without a word, record prompts that hold a fraction
 * of what they show. Such usage says nothing of what will be read from this file. (30 real sessions: 0.95 at the least.)
 */
function isOfThis({ recent }: Calibration): boolean {
  const last = recent.at(-1);
  return last === undefined || last.prompt >= LEAST_SHOWN * last.counted;
}

const LEAST_SHOWN = 0.5;

/**
 * What no model could have been sent is damage. Far above the window we know, because tables age and windows grow; but a number
 * that was believed would say that everything must go, and that whatever goes saves nothing.
 */
function isPossible({ recent }: Calibration, model: string | undefined): boolean {
  const last = recent.at(-1);
  return last === undefined || last.prompt <= MOST_WINDOWS * modelNamed(model).windowTokens;
}

const MOST_WINDOWS = 10;
