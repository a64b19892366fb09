/**
 * The state of every delivery, and the only place that changes it.
 *
 *     pending ──start──▶ sending ──succeed──▶ delivered
 *        ▲                  │
 *        └──────retry───────┼──fail──▶ failed
 *
 * `redeliver` takes a delivered or failed one back to pending. Each change is written to the journal first.
 */
export class ConflictError extends Error {
  constructor(id, state, wanted) {
    super(`delivery ${id} is ${state}, it cannot be ${wanted}`);
    this.name = "ConflictError";
    this.status = 409;
  }
}

export class UnknownDeliveryError extends Error {
  constructor(id) {
    super(`there is no delivery ${id}`);
    this.name = "UnknownDeliveryError";
    this.status = 404;
  }
}

export function createLedger({ clock, journal }) {
  const deliveries = new Map();
  let count = 0;

  const find = (id) => {
    const delivery = deliveries.get(id);
    if (!delivery) throw new UnknownDeliveryError(id);
    return delivery;
  };
  const change = (id, from, to, verb, fields = {}) => {
    const delivery = find(id);
    if (!from.includes(delivery.state)) throw new ConflictError(id, delivery.state, verb);
    journal.append({ at: clock.now(), delivery: id, event: verb, ...fields });
    delivery.state = to;
    return delivery;
  };

  return {
    open({ order, endpoint }) {
      count += 1;
      const id = `del_${String(count).padStart(5, "0")}`;
      const delivery = { id, order, endpoint, state: "pending", createdAt: clock.now(), attempts: [] };
      journal.append({ at: clock.now(), delivery: id, event: "opened", order, endpoint });
      deliveries.set(id, delivery);
      return view(delivery);
    },
    start(id) {
      const delivery = change(id, ["pending"], "sending", "started");
      delivery.attempts.push({ number: delivery.attempts.length + 1, startedAt: clock.now() });
      return view(delivery);
    },
    succeed(id, outcome) {
      return view(finish(change(id, ["sending"], "delivered", "succeeded", outcome), outcome));
    },
    retry(id, outcome) {
      return view(finish(change(id, ["sending"], "pending", "retried", outcome), outcome));
    },
    fail(id, outcome) {
      return view(finish(change(id, ["sending"], "failed", "failed", outcome), outcome));
    },
    redeliver(id) {
      return view(change(id, ["delivered", "failed"], "pending", "redelivered"));
    },
    get: (id) => view(find(id)),
    counts() {
      const counts = { pending: 0, sending: 0, delivered: 0, failed: 0 };
      for (const { state } of deliveries.values()) counts[state] += 1;
      return counts;
    },
    *all() {
      for (const delivery of deliveries.values()) yield view(delivery);
    },
  };

  function finish(delivery, { status, error }) {
    const attempt = delivery.attempts.at(-1);
    attempt.tookMs = clock.now() - attempt.startedAt;
    if (status !== undefined) attempt.status = status;
    if (error !== undefined) attempt.error = error;
    return delivery;
  }
}

/** A copy: nobody outside changes the state. */
function view(delivery) {
  return { ...delivery, attempts: delivery.attempts.map((attempt) => ({ ...attempt })) };
}
