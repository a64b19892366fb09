import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromMinor, toMinor, totalOf } from "../src/orders/money.js";

describe("money", () => {
  for (const [price, minor] of [["0", 0], ["7", 700], ["7.4", 740], ["7.40", 740], ["0.05", 5], ["1234.56", 123456]]) {
    test(`${price} is ${minor} minor units`, () => {
      assert.equal(toMinor(price), minor);
    });
  }

  for (const bad of ["", "-1", "1.234", "1,50", "1e3", " 1"]) {
    test(`${JSON.stringify(bad)} is not a price`, () => {
      assert.throws(() => toMinor(bad), RangeError);
    });
  }

  for (const [minor, price] of [[0, "0.00"], [5, "0.05"], [740, "7.40"], [123456, "1234.56"]]) {
    test(`${minor} minor units are ${price}`, () => {
      assert.equal(fromMinor(minor), price);
    });
  }

  test("lines add up", () => {
    const lines = [{ unitPrice: "7.40", quantity: 2 }, { unitPrice: "12.00", quantity: 1 }];
    assert.equal(totalOf(lines), 2680);
  });

  test("cents are not lost on the way", () => {
    const lines = Array.from({ length: 10 }, () => ({ unitPrice: "0.10", quantity: 1 }));
    assert.equal(totalOf(lines), 100);
  });
});
