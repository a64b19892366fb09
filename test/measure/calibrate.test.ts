import { describe, expect, test } from "vitest";
import {
  type Calibration,
  edited,
  isCalibrated,
  observe,
  predict,
  UNCALIBRATED,
} from "../../src/measure/calibrate.ts";
import { measure } from "../../src/measure/measure.ts";
import { calibrationOf } from "../../src/measure/recorded.ts";
import type { Usage } from "../../src/transcript/message.ts";
import { assistant, transcript, user } from "../say.ts";

const usage = (prompt: number): Usage => ({
  uncachedTokens: 3,
  cacheReadTokens: prompt - 3,
  cacheWriteTokens: 0,
  outputTokens: 9,
});
const seen = (calibration: Calibration, counted: number, prompt: number) =>
  observe(calibration, { counted, usage: usage(prompt) });

/** A session: 43,000 tokens we cannot see, and a tokenizer that makes 1.3 tokens of each of ours. */
const prompt = (counted: number) => Math.round(43_000 + 1.3 * counted);
const counts = Array.from({ length: 40 }, (_, step) => 500 + step * 900 + (step % 7) * 130);
const calibrated = counts.reduce(
  (calibration, counted) => seen(calibration, counted, prompt(counted)),
  UNCALIBRATED,
);
const off = (calibration: Calibration, counted: number) =>
  Math.abs(predict(calibration, counted) / prompt(counted) - 1);

describe("calibration", () => {
  test("before any usage the count stands as it is", () => {
    expect(isCalibrated(UNCALIBRATED)).toBe(false);
    expect(predict(UNCALIBRATED, 1234)).toBe(1234);
  });

  test("one request tells the overhead", () => {
    const once = seen(UNCALIBRATED, 500, 43_500);
    expect(once).toMatchObject({ overhead: 43_000, scale: 1, requests: 1 });
    expect(predict(once, 1500)).toBe(44_500);
  });

  test("a session tells overhead and scale, and holds far ahead", () => {
    expect(calibrated.scale).toBeCloseTo(1.3, 2);
    expect(calibrated.overhead).toBeGreaterThan(42_500);
    expect(calibrated.overhead).toBeLessThan(43_500);
    expect(off(calibrated, 150_000)).toBeLessThan(0.01);
  });

  test("a count that is too high is scaled, not owed: a tenth of the session is a tenth of the prompt", () => {
    const over = [1000, 20_000, 40_000, 80_000].reduce(
      (calibration, counted) => seen(calibration, counted, Math.round(counted * 1.02) - 1400),
      UNCALIBRATED,
    );
    expect(over.overhead).toBe(0);
    expect(predict(over, 80_000)).toBe(Math.round(80_000 * 1.02) - 1400);
    expect(predict(over, 2000)).toBeGreaterThan(1900);
  });

  test.each([
    ["that failed", { usage: usage(900), ended: "failed" }],
    ["that was aborted", { usage: usage(900), ended: "aborted" }],
    ["without usage", { usage: undefined }],
    [
      "with zero usage",
      { usage: { uncachedTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3 } },
    ],
    ["with usage that is no number", { usage: usage(Number.NaN) }],
  ] as const)("a response %s changes nothing", (_name, response) => {
    expect(observe(calibrated, { counted: 20_000, ...response })).toBe(calibrated);
  });

  test("noise and a tenth of wild outliers do not move the scale", () => {
    let calibration = UNCALIBRATED;
    counts.forEach((counted, step) => {
      const noise = ((step * 7919) % 200) - 100;
      calibration = seen(
        calibration,
        counted,
        step % 10 === 9 ? prompt(counted) * 3 : prompt(counted) + noise,
      );
    });
    expect(calibration.scale).toBeGreaterThan(1.2);
    expect(calibration.scale).toBeLessThan(1.4);
    expect(off(calibration, 45_000)).toBeLessThan(0.02);
  });

  test("one request far off the line is not believed; two in a row are", () => {
    const once = seen(calibrated, 37_000, 2_000);
    expect(predict(once, 37_000)).toBe(predict(calibrated, 37_000));
    // A subagent's usage among ours: the next one of our own is on the line again.
    const after = seen(once, 37_500, prompt(37_500));
    expect(off(after, 38_000)).toBeLessThan(0.01);
    // An edit no record tells of: 30,000 tokens are gone, and stay gone.
    const twice = seen(seen(calibrated, 37_000, prompt(37_000) - 60_000), 37_500, prompt(37_500) - 60_000);
    expect(predict(twice, 38_000)).toBeCloseTo(prompt(38_000) - 60_000, -3);
    expect(twice.scale).toBeCloseTo(1.3, 1);
  });

  test("a change of slope is followed: recent requests count", () => {
    let calibration = calibrated;
    const start = counts.at(-1) ?? 0;
    for (let step = 1; step <= 90; step += 1)
      calibration = seen(calibration, start + step * 700, prompt(start) + Math.round(step * 700 * 1.6));
    expect(calibration.scale).toBeCloseTo(1.6, 1);
  });

  test("results cleared in place leave overhead and scale as they were", () => {
    const cleared = edited(calibrated, "clear");
    expect(predict(cleared, 12_000)).toBe(predict(calibrated, 12_000));
    // The step over the edit is no step of the tokenizer.
    expect(seen(cleared, 12_000, prompt(12_000)).scale).toBeCloseTo(1.3, 2);
  });

  test("a summary takes what had piled up unseen with it, half of it the first time", () => {
    let calibration = seen(UNCALIBRATED, 1000, 41_000);
    for (let step = 1; step <= 30; step += 1)
      calibration = seen(calibration, 1000 + step * 1000, 41_000 + step * 1000 + step * 300);
    const before = calibration.overhead;
    const base = 41_000 - calibration.scale * 1000;
    const after = edited(calibration, "summary");
    expect(after.overhead).toBeCloseTo((before + base) / 2, 0);
    // From then on the overhead after a summary is known, and the next one comes to the same.
    const again = seen(after, 3000, 52_000);
    const later = [5000, 9000, 14_000].reduce(
      (kept, counted) => seen(kept, counted, 49_000 + counted + 500),
      again,
    );
    expect(predict(edited(later, "summary"), 3000)).toBeCloseTo(52_000, -3);
  });

  test("the first usage after an edit is believed at once, however unexpected", () => {
    const after = seen(edited(calibrated, "summary"), 2000, 120_000);
    expect(predict(after, 2000)).toBe(120_000);
    expect(after.suspect).toBeUndefined();
  });

  test("costs the same at any length of session", () => {
    let calibration = UNCALIBRATED;
    for (let step = 0; step < 2000; step += 1)
      calibration = seen(calibration, 100 + step * 50, prompt(100 + step * 50));
    expect(calibration.recent.length).toBeLessThanOrEqual(64);
    expect(calibration.requests).toBe(2000);
  });

  test("is a value: observing leaves the one before as it was", () => {
    const frozen = JSON.stringify(calibrated);
    seen(calibrated, 99_000, prompt(99_000));
    edited(calibrated, "summary");
    expect(JSON.stringify(calibrated)).toBe(frozen);
  });
});

describe("calibrationOf", () => {
  const said = "a word or two that make some tokens, again and again ".repeat(400);
  const recordedAs = (tokens: number) => ({
    whole: transcript(user(said), { ...assistant(said), usage: usage(tokens) }),
    compactions: [],
  });

  test("usage of a file put together from others, a fraction of what it shows, is not believed", () => {
    const counted = measure(transcript(user(said))).total;
    expect(isCalibrated(calibrationOf(recordedAs(counted * 3)))).toBe(true);
    expect(isCalibrated(calibrationOf(recordedAs(Math.round(counted * 0.9))))).toBe(true);
    expect(isCalibrated(calibrationOf(recordedAs(Math.round(counted * 0.1))))).toBe(false);
  });

  test("usage that no model could have been sent is not believed", () => {
    expect(isCalibrated(calibrationOf(recordedAs(1_000_000)))).toBe(true);
    expect(isCalibrated(calibrationOf(recordedAs(1_000_000_000_000)))).toBe(false);
    expect(isCalibrated(calibrationOf(recordedAs(1e308)))).toBe(false);
  });
});
