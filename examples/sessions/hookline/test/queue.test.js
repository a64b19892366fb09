import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createQueue } from "../src/deliveries/queue.js";
import { createTestClock } from "../testing/clock.js";

const setUp = () => {
  const clock = createTestClock(1000);
  return { clock, queue: createQueue({ clock }) };
};

describe("the queue", () => {
  test("gives what is due", () => {
    const { queue } = setUp();
    queue.put("a");
    assert.deepEqual(queue.take(), ["a"]);
  });

  test("gives each only once", () => {
    const { queue } = setUp();
    queue.put("a");
    queue.take();
    assert.deepEqual(queue.take(), []);
  });

  test("keeps what is not due yet", () => {
    const { queue, clock } = setUp();
    queue.put("later", 1500);
    assert.deepEqual(queue.take(), []);
    clock.advance(500);
    assert.deepEqual(queue.take(), ["later"]);
  });

  test("gives what is due first, first", () => {
    const { queue, clock } = setUp();
    queue.put("c", 1300);
    queue.put("a", 1100);
    queue.put("b", 1200);
    clock.advance(1000);
    assert.deepEqual(queue.take(3), ["a", "b", "c"]);
  });

  test("keeps the order of those due at the same time", () => {
    const { queue } = setUp();
    for (const id of ["a", "b", "c", "d"]) queue.put(id);
    assert.deepEqual(queue.take(4), ["a", "b", "c", "d"]);
  });

  test("gives no more than asked for", () => {
    const { queue } = setUp();
    for (const id of ["a", "b", "c"]) queue.put(id);
    assert.deepEqual(queue.take(2), ["a", "b"]);
    assert.equal(queue.length, 1);
  });

  test("forgets what is removed", () => {
    const { queue } = setUp();
    queue.put("a");
    assert.equal(queue.remove("a"), true);
    assert.equal(queue.remove("a"), false);
    assert.deepEqual(queue.take(), []);
  });

  test("says when the next is due", () => {
    const { queue } = setUp();
    assert.equal(queue.nextDueAt(), undefined);
    queue.put("b", 1700);
    queue.put("a", 1600);
    assert.equal(queue.nextDueAt(), 1600);
  });
});
