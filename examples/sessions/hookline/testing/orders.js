/** Orders for tests: valid, small, and different in what a test cares about. */
let count = 0;

export function anOrder(fields = {}) {
  count += 1;
  return {
    id: `ord_${String(9000 + count)}`,
    merchant: "northwind",
    placedAt: "2026-02-09T14:03:11Z",
    currency: "EUR",
    lines: [
      { sku: "NW-TEA-250", title: "Black tea, 250 g", quantity: 2, unitPrice: "7.40" },
      { sku: "NW-MUG-01", title: "Mug, blue", quantity: 1, unitPrice: "12.00" },
    ],
    total: "26.80",
    ...fields,
  };
}
