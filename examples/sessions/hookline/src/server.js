import http from "node:http";
import { readJsonBody, sendJson } from "./http/body.js";
import { createRouter, HttpError } from "./http/router.js";
import { validateOrder } from "./orders/validate.js";

export function createServer({ config, clock, ledger, queue, log, orders }) {
  const startedAt = clock.now();
  const router = createRouter();

  router.post("/orders", async ({ request }) => {
    const order = orders.add(validateOrder(await readJsonBody(request)));
    const endpoints = config.merchants[order.merchant] ?? [];
    const deliveries = endpoints.map((endpoint) => ledger.open({ order: order.id, endpoint }));
    for (const delivery of deliveries) queue.put(delivery.id);
    return [201, { order, deliveries: deliveries.map(({ id }) => id) }];
  });

  router.get("/orders/:id", ({ params }) => {
    const order = orders.get(params.id);
    if (!order) throw new HttpError(404, `there is no order ${params.id}`);
    return [200, order];
  });

  router.get("/deliveries/:id", ({ params }) => [200, ledger.get(params.id)]);

  router.post("/deliveries/:id/redeliver", ({ params }) => {
    const delivery = ledger.redeliver(params.id);
    queue.put(delivery.id);
    return [202, { delivery: delivery.id, state: delivery.state }];
  });

  router.get("/health", () => [
    200,
    { ok: true, upMs: clock.now() - startedAt, waiting: queue.length, deliveries: ledger.counts() },
  ]);

  return http.createServer(async (request, response) => {
    try {
      const { pathname } = new URL(request.url, "http://localhost");
      const { handler, params } = router.find(request.method, pathname);
      const [status, value] = await handler({ request, params });
      sendJson(response, status, value);
    } catch (error) {
      const status = error.status ?? 500;
      if (status === 500) log.error("request failed", { path: request.url, error: error.stack });
      sendJson(response, status, { error: status === 500 ? "internal error" : error.message });
    }
  });
}
