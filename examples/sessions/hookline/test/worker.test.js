import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryJournal } from "../src/deliveries/journal.js";
import { createLedger } from "../src/deliveries/ledger.js";
import { createQueue } from "../src/deliveries/queue.js";
import { createWorker } from "../src/deliveries/worker.js";
import { silentLog } from "../src/log.js";
import { createOrderStore } from "../src/orders/store.js";
import { createTestClock } from "../testing/clock.js";
import { anOrder } from "../testing/orders.js";
import { createReceiver } from "../testing/receiver.js";

function setUp({ mood, answersAfterMs, config = {} } = {}) {
  const clock = createTestClock();
  const receiver = createReceiver({ clock, mood, answersAfterMs });
  const orders = createOrderStore();
  const ledger = createLedger({ clock, journal: createMemoryJournal() });
  const queue = createQueue({ clock });
  const settings = { timeoutMs: 2750, maxAttempts: 3, baseDelayMs: 1000, concurrency: 4, ...config };
  const worker = createWorker({ config: settings, clock, ledger, queue, log: silentLog, orders, send: receiver.send });
  const place = (fields) => {
    const order = orders.add(anOrder(fields));
    const { id } = ledger.open({ order: order.id, endpoint: "https://northwind.example/hook" });
    queue.put(id);
    return id;
  };
  const runDry = async () => {
    while (queue.length > 0) {
      clock.advanceTo(queue.nextDueAt());
      await worker.tick();
    }
  };
  return { clock, receiver, ledger, queue, worker, place, runDry };
}

describe("the worker", () => {
  test("delivers what is due", async () => {
    const { place, worker, ledger } = setUp();
    const id = place();
    assert.equal(await worker.tick(), 1);
    assert.equal(ledger.get(id).state, "delivered");
  });

  test("does nothing when nothing is due", async () => {
    const { worker } = setUp();
    assert.equal(await worker.tick(), 0);
  });

  test("takes no more than the concurrency in one round", async () => {
    const { place, worker } = setUp({ config: { concurrency: 2 } });
    for (let count = 0; count < 5; count += 1) place();
    assert.deepEqual([await worker.tick(), await worker.tick(), await worker.tick()], [2, 2, 1]);
  });

  test("tries again after a 503", async () => {
    const { place, runDry, ledger } = setUp({ mood: ({ seen }) => (seen === 1 ? 503 : "fine") });
    const id = place();
    await runDry();
    assert.deepEqual(ledger.get(id).attempts.map(({ status }) => status), [503, 200]);
  });

  test("gives up after the last attempt", async () => {
    const { place, runDry, ledger } = setUp({ mood: () => 503 });
    const id = place();
    await runDry();
    assert.equal(ledger.get(id).state, "failed");
    assert.equal(ledger.get(id).attempts.length, 3);
  });

  test("gives up at once when the endpoint is gone", async () => {
    const { place, runDry, ledger } = setUp({ mood: () => 410 });
    const id = place();
    await runDry();
    assert.equal(ledger.get(id).attempts.length, 1);
  });

  test("writes the error of a receiver that is down", async () => {
    const { place, runDry, ledger } = setUp({ mood: () => "down" });
    const id = place();
    await runDry();
    assert.equal(ledger.get(id).attempts[0].error, "connect ECONNREFUSED 192.0.2.17:443");
  });

  test("uses the same idempotency key for all attempts", async () => {
    const { place, runDry, receiver } = setUp({ mood: () => 503 });
    const id = place();
    await runDry();
    assert.deepEqual([...new Set(receiver.requests.map(({ headers }) => headers["idempotency-key"]))], [id]);
  });

  test("sends what the digest says", async () => {
    const { place, runDry, receiver } = setUp();
    place();
    await runDry();
    const { digestOf } = await import("../src/deliveries/payload.js");
    const [request] = receiver.requests;
    assert.equal(request.headers["content-digest"], digestOf(request.body));
  });
});
