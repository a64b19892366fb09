import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createOrderStore } from "../src/orders/store.js";
import { anOrder } from "../testing/orders.js";

describe("the order store", () => {
  test("gives back what was put in", () => {
    const store = createOrderStore();
    const order = anOrder();
    store.add(order);
    assert.deepEqual(store.get(order.id), order);
  });

  test("refuses an id twice, with 409", () => {
    const store = createOrderStore();
    const order = anOrder();
    store.add(order);
    assert.throws(() => store.add(order), { status: 409, message: `order ${order.id} is already here` });
  });

  test("does not let an order be changed from outside", () => {
    const store = createOrderStore();
    const order = anOrder();
    store.add(order);
    assert.throws(() => {
      store.get(order.id).total = "0.00";
    }, TypeError);
  });

  test("knows how many it has", () => {
    const store = createOrderStore();
    store.add(anOrder());
    store.add(anOrder());
    assert.equal(store.size, 2);
  });

  test("lists the orders of a merchant", () => {
    const store = createOrderStore();
    const mine = store.add(anOrder({ merchant: "aozora" }));
    store.add(anOrder());
    assert.deepEqual([...store.ofMerchant("aozora")], [mine]);
  });
});
