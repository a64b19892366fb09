import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createMemoryJournal } from "../src/deliveries/journal.js";
import { createLedger } from "../src/deliveries/ledger.js";
import { createQueue } from "../src/deliveries/queue.js";
import { silentLog } from "../src/log.js";
import { createOrderStore } from "../src/orders/store.js";
import { createServer } from "../src/server.js";
import { createTestClock } from "../testing/clock.js";
import { anOrder } from "../testing/orders.js";

describe("the HTTP server", () => {
  const clock = createTestClock();
  const ledger = createLedger({ clock, journal: createMemoryJournal() });
  const queue = createQueue({ clock });
  const config = { merchants: { northwind: ["https://a.example/"], aozora: ["https://b.example/", "https://c.example/"] } };
  let server;
  let base;

  before(async () => {
    server = createServer({ config, clock, ledger, queue, log: silentLog, orders: createOrderStore() });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${server.address().port}`;
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = async (method, path, body) => {
    const response = await fetch(base + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    return [response.status, await response.json()];
  };

  test("takes an order and opens a delivery", async () => {
    const order = anOrder();
    const [status, value] = await ask("POST", "/orders", order);
    assert.equal(status, 201);
    assert.equal(value.deliveries.length, 1);
  });

  test("opens one delivery per endpoint", async () => {
    const [, value] = await ask("POST", "/orders", anOrder({ merchant: "aozora" }));
    assert.equal(value.deliveries.length, 2);
  });

  test("takes an order of a merchant without endpoints", async () => {
    const [status, value] = await ask("POST", "/orders", anOrder({ merchant: "nobody" }));
    assert.equal(status, 201);
    assert.deepEqual(value.deliveries, []);
  });

  test("gives an order back", async () => {
    const order = anOrder();
    await ask("POST", "/orders", order);
    assert.deepEqual(await ask("GET", `/orders/${order.id}`), [200, order]);
  });

  test("says 404 for an order it does not have", async () => {
    assert.deepEqual(await ask("GET", "/orders/ord_0000"), [404, { error: "there is no order ord_0000" }]);
  });

  test("says 422 for an order that does not add up", async () => {
    const [status, value] = await ask("POST", "/orders", anOrder({ total: "1.00" }));
    assert.equal(status, 422);
    assert.match(value.error, /lines add up to 2680 EUR, order says 100/);
  });

  test("says 409 for an id that is taken", async () => {
    const order = anOrder();
    await ask("POST", "/orders", order);
    assert.equal((await ask("POST", "/orders", order))[0], 409);
  });

  test("says 400 for a body that is not JSON", async () => {
    const response = await fetch(`${base}/orders`, { method: "POST", body: "{" });
    assert.equal(response.status, 400);
  });

  test("says 413 for a body that is too long", async () => {
    const response = await fetch(`${base}/orders`, { method: "POST", body: "x".repeat(300 * 1024) });
    assert.equal(response.status, 413);
  });

  test("says 404 for a path it does not know", async () => {
    assert.equal((await ask("GET", "/moon"))[0], 404);
  });

  test("says 405 for a method a path does not take", async () => {
    assert.equal((await ask("GET", "/orders"))[0], 405);
  });

  test("shows a delivery", async () => {
    const [, { deliveries }] = await ask("POST", "/orders", anOrder());
    const [status, delivery] = await ask("GET", `/deliveries/${deliveries[0]}`);
    assert.equal(status, 200);
    assert.equal(delivery.state, "pending");
  });

  test("says 404 for a delivery it does not know", async () => {
    assert.equal((await ask("GET", "/deliveries/del_99999"))[0], 404);
  });

  test("does not redeliver what is still pending", async () => {
    const [, { deliveries }] = await ask("POST", "/orders", anOrder());
    assert.equal((await ask("POST", `/deliveries/${deliveries[0]}/redeliver`))[0], 409);
  });

  test("redelivers what failed", async () => {
    const [, { deliveries }] = await ask("POST", "/orders", anOrder());
    ledger.start(deliveries[0]);
    ledger.fail(deliveries[0], { status: 410 });
    assert.deepEqual(await ask("POST", `/deliveries/${deliveries[0]}/redeliver`), [202, { delivery: deliveries[0], state: "pending" }]);
  });

  test("is healthy, and says what is waiting", async () => {
    const [status, health] = await ask("GET", "/health");
    assert.equal(status, 200);
    assert.equal(health.ok, true);
    assert.ok(health.waiting > 0);
  });
});
