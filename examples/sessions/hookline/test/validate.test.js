import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OrderError, validateOrder } from "../src/orders/validate.js";
import { anOrder } from "../testing/orders.js";

const problemsOf = (order) => {
  try {
    validateOrder(order);
    return [];
  } catch (error) {
    assert.ok(error instanceof OrderError, error.stack);
    return error.problems;
  }
};

describe("an order", () => {
  test("is taken when it is right", () => {
    assert.deepEqual(problemsOf(anOrder()), []);
  });

  test("must be an object", () => {
    assert.deepEqual(problemsOf(null), ["not an object", "there are no lines"]);
  });

  test("needs an id that looks like one", () => {
    assert.deepEqual(problemsOf(anOrder({ id: "42" })), ['id "42" does not look like ord_0001']);
  });

  test("needs a merchant", () => {
    assert.deepEqual(problemsOf(anOrder({ merchant: "" })), ["merchant is missing"]);
  });

  test("needs a currency", () => {
    assert.deepEqual(problemsOf(anOrder({ currency: "eur" })), ['currency "eur" is not ISO 4217']);
  });

  test("needs a time", () => {
    assert.deepEqual(problemsOf(anOrder({ placedAt: "yesterday" })), ['placedAt "yesterday" is not a time']);
  });

  test("needs lines", () => {
    assert.deepEqual(problemsOf(anOrder({ lines: [] })), ["there are no lines"]);
  });

  test("says which line is wrong", () => {
    const lines = [{ sku: "A", quantity: 1, unitPrice: "1.00" }, { sku: "", quantity: 0, unitPrice: 1 }];
    assert.deepEqual(problemsOf(anOrder({ lines })), ["line 2 has no sku", "line 2: quantity 0", "line 2: unitPrice is not a string"]);
  });

  test("must add up", () => {
    assert.deepEqual(problemsOf(anOrder({ total: "26.81" })), ["lines add up to 2680 EUR, order says 2681"]);
  });

  test("says all problems of the head at once", () => {
    assert.equal(problemsOf(anOrder({ id: "", merchant: "", currency: "", placedAt: "" })).length, 4);
  });

  test("is refused with 422 and its id", () => {
    assert.throws(() => validateOrder(anOrder({ id: "ord_0007", total: "1.00" })), { status: 422, message: /^ord_0007: / });
  });
});
