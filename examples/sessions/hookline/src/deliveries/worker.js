/** Takes what is due from the queue, sends it, and writes what came of it to the ledger. */
import { payloadOf } from "./payload.js";
import { delayAfter, isSuccess } from "./retry.js";

const IDLE_MS = 250;

export function createWorker({ config, clock, ledger, queue, log, orders, send }) {
  const stopping = new AbortController();
  let running = Promise.resolve();

  return {
    start() {
      running = loop();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    tick,
  };

  async function loop() {
    while (!stopping.signal.aborted) {
      const done = await tick();
      if (done === 0) await clock.wait(IDLE_MS, stopping.signal);
    }
  }

  /** One round: everything that is due now, up to the concurrency. Says how many were dispatched. */
  async function tick() {
    const ids = queue.take(config.concurrency);
    await Promise.all(ids.map(dispatch));
    return ids.length;
  }

  async function dispatch(id) {
    const delivery = ledger.start(id);
    const attempt = delivery.attempts.length;
    const { body, headers } = payloadOf(delivery, orders.get(delivery.order), attempt);
    const outcome = await send({ endpoint: delivery.endpoint, body, headers, timeoutMs: config.timeoutMs });
    settle(delivery, attempt, outcome);
  }

  function settle(delivery, attempt, { status, error }) {
    const outcome = { status, error };
    if (isSuccess(outcome)) {
      ledger.succeed(delivery.id, outcome);
      log.info("delivered", { delivery: delivery.id, attempt, status });
      return;
    }
    const delay = delayAfter(attempt, outcome, config);
    if (delay === undefined) {
      ledger.fail(delivery.id, outcome);
      log.error("dispatch failed for good", { delivery: delivery.id, order: delivery.order, attempt, status, error });
      return;
    }
    ledger.retry(delivery.id, outcome);
    queue.put(delivery.id, clock.now() + delay);
    log.warn("dispatch failed, will try again", { delivery: delivery.id, attempt, status, error, delayMs: delay });
  }
}
