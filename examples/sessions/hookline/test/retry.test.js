import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { delayAfter, isPermanent, isSuccess } from "../src/deliveries/retry.js";

const config = { maxAttempts: 3, baseDelayMs: 1000 };

describe("success", () => {
  for (const status of [200, 201, 202, 204, 299]) {
    test(`${status} is success`, () => {
      assert.equal(isSuccess({ status }), true);
    });
  }
  for (const status of [199, 301, 400, 409, 500]) {
    test(`${status} is not`, () => {
      assert.equal(isSuccess({ status }), false);
    });
  }
  test("no answer is not success", () => {
    assert.equal(isSuccess({ error: "no answer within 2750 ms" }), false);
  });
});

describe("permanent failures", () => {
  for (const status of [400, 401, 403, 404, 410, 413, 415, 422]) {
    test(`${status} is permanent`, () => {
      assert.equal(isPermanent({ status }), true);
    });
  }
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
    test(`${status} may pass`, () => {
      assert.equal(isPermanent({ status }), false);
    });
  }
  test("no answer may pass", () => {
    assert.equal(isPermanent({ error: "connect ECONNREFUSED" }), false);
  });
});

describe("the delay", () => {
  test("is the base delay", () => {
    assert.equal(delayAfter(1, { status: 503 }, config), 1000);
  });
  test("ends after the last attempt", () => {
    assert.equal(delayAfter(3, { status: 503 }, config), undefined);
  });
  test("ends at once when the failure is permanent", () => {
    assert.equal(delayAfter(1, { status: 410 }, config), undefined);
  });
});
