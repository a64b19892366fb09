import { expect, test } from "vitest";
import { sample } from "../../arena/cases/seeded.ts";
import { intervalOf, pairedInterval } from "../../arena/statistics/bootstrap.ts";

const VALUES = [0.2, 0.4, 0.6, 0.8, 0.9, 0.1, 0.5];

test("an interval lies around the mean, and is the same every time", () => {
  const interval = intervalOf(VALUES, "seed");
  expect(interval).toEqual(intervalOf(VALUES, "seed"));
  expect(interval?.mean).toBeCloseTo(0.5, 10);
  expect(interval?.low).toBeLessThan(0.5);
  expect(interval?.high).toBeGreaterThan(0.5);
  expect(interval?.sessions).toBe(7);
  expect(intervalOf([], "seed")).toBeUndefined();
});

test("a pair is a session both have; a constant lead has no spread, however sessions differ", () => {
  const ours = new Map(VALUES.map((value, index) => [`s${index}`, value + 0.1]));
  const theirs = new Map(VALUES.map((value, index) => [`s${index}`, value]));
  theirs.delete("s6");
  const interval = pairedInterval(ours, theirs, "seed");
  expect(interval?.sessions).toBe(6);
  expect(interval?.low).toBeCloseTo(0.1, 10);
  expect(interval?.high).toBeCloseTo(0.1, 10);
});

test("a sample keeps the order, and whoever is drawn is drawn again", () => {
  const items = Array.from({ length: 100 }, (_, index) => `item ${index}`);
  const drawn = sample(items, 10, (item) => item);
  expect(drawn).toHaveLength(10);
  expect(drawn).toEqual(sample(items, 10, (item) => item));
  expect([...drawn]).toEqual(items.filter((item) => drawn.includes(item)));
});
