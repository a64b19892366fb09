/** What a receiver gets: the body and the headers of one attempt. */
import { createHash } from "node:crypto";

export function payloadOf(delivery, order, attempt) {
  const body = JSON.stringify({
    type: "order.placed",
    delivery: delivery.id,
    attempt,
    order: {
      id: order.id,
      merchant: order.merchant,
      placedAt: order.placedAt,
      currency: order.currency,
      total: order.total,
      lines: order.lines,
    },
  });
  return {
    body,
    headers: {
      "content-type": "application/json",
      "idempotency-key": delivery.id,
      "content-digest": digestOf(body),
    },
  };
}

export function digestOf(body) {
  return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}
