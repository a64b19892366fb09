/** A session file played again: its recorded usage, request by request, calibrates the counts of its parts. */
import { type Calibration, edited, observe, UNCALIBRATED } from "./calibrate.ts";
import { type Counter, estimatorFor } from "./count.ts";
import { Meter } from "./measure.ts";
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
  return calibration;
}
