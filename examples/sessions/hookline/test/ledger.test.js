import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryJournal } from "../src/deliveries/journal.js";
import { createLedger } from "../src/deliveries/ledger.js";
import { createTestClock } from "../testing/clock.js";

const setUp = () => {
  const clock = createTestClock(1000);
  const events = [];
  const ledger = createLedger({ clock, journal: createMemoryJournal(events) });
  const { id } = ledger.open({ order: "ord_0001", endpoint: "https://a.example/" });
  return { clock, events, ledger, id };
};

describe("the ledger", () => {
  test("opens a delivery as pending", () => {
    const { ledger, id } = setUp();
    assert.equal(id, "del_00001");
    assert.equal(ledger.get(id).state, "pending");
  });

  test("counts attempts from 1", () => {
    const { ledger, id } = setUp();
    assert.equal(ledger.start(id).attempts[0].number, 1);
  });

  test("knows how long an attempt took", () => {
    const { ledger, id, clock } = setUp();
    ledger.start(id);
    clock.advance(312);
    ledger.succeed(id, { status: 200 });
    assert.deepEqual(ledger.get(id).attempts, [{ number: 1, startedAt: 1000, tookMs: 312, status: 200 }]);
  });

  test("takes a retried delivery back to pending", () => {
    const { ledger, id } = setUp();
    ledger.start(id);
    assert.equal(ledger.retry(id, { status: 503 }).state, "pending");
  });

  test("keeps the error of an attempt that got no answer", () => {
    const { ledger, id } = setUp();
    ledger.start(id);
    ledger.retry(id, { error: "no answer within 2750 ms" });
    assert.equal(ledger.get(id).attempts[0].error, "no answer within 2750 ms");
  });

  test("does not start what is being sent", () => {
    const { ledger, id } = setUp();
    ledger.start(id);
    assert.throws(() => ledger.start(id), { status: 409, message: "delivery del_00001 is sending, it cannot be started" });
  });

  test("does not finish what was not started", () => {
    const { ledger, id } = setUp();
    assert.throws(() => ledger.succeed(id, { status: 200 }), { status: 409 });
  });

  test("does not redeliver what is being sent", () => {
    const { ledger, id } = setUp();
    ledger.start(id);
    assert.throws(() => ledger.redeliver(id), { status: 409, message: "delivery del_00001 is sending, it cannot be redelivered" });
  });

  test("redelivers what failed, and keeps its attempts", () => {
    const { ledger, id } = setUp();
    ledger.start(id);
    ledger.fail(id, { status: 500 });
    ledger.redeliver(id);
    assert.equal(ledger.start(id).attempts.length, 2);
  });

  test("says 404 for what it does not know", () => {
    const { ledger } = setUp();
    assert.throws(() => ledger.get("del_99999"), { status: 404 });
  });

  test("counts by state", () => {
    const { ledger, id } = setUp();
    ledger.open({ order: "ord_0002", endpoint: "https://a.example/" });
    ledger.start(id);
    assert.deepEqual(ledger.counts(), { pending: 1, sending: 1, delivered: 0, failed: 0 });
  });

  test("writes every change to the journal, before it is made", () => {
    const { ledger, id, events } = setUp();
    ledger.start(id);
    ledger.retry(id, { status: 503 });
    assert.deepEqual(events.map(({ event }) => event), ["opened", "started", "retried"]);
  });

  test("gives copies", () => {
    const { ledger, id } = setUp();
    ledger.get(id).state = "delivered";
    assert.equal(ledger.get(id).state, "pending");
  });
});
