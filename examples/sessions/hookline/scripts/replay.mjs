// Plays orders against a receiver that misbehaves, on a clock that does not wait. Prints one line per attempt.
//   node scripts/replay.mjs [--orders file] [--limit n] [--quiet]
import { readFileSync } from "node:fs";
import { loadConfig } from "../src/config.js";
import { silentLog } from "../src/log.js";
import { createMemoryJournal } from "../src/deliveries/journal.js";
import { createLedger } from "../src/deliveries/ledger.js";
import { createQueue } from "../src/deliveries/queue.js";
import { createWorker } from "../src/deliveries/worker.js";
import { createOrderStore } from "../src/orders/store.js";
import { validateOrder } from "../src/orders/validate.js";
import { createTestClock } from "../testing/clock.js";
import { createReceiver } from "../testing/receiver.js";

const option = (name, fallback) => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : process.argv[index + 1];
};
const quiet = process.argv.includes("--quiet");
const file = option("orders", "test/fixtures/orders.json");
const limit = Number(option("limit", "Infinity"));

const { delivery: config } = loadConfig({});
const clock = createTestClock(Date.parse("2026-02-10T06:00:00Z"));
const receiver = createReceiver({ clock, mood: ({ seen }) => (seen === 1 ? "slow" : "fine"), answersAfterMs: 2810 });
const orders = createOrderStore();
const ledger = createLedger({ clock, journal: createMemoryJournal() });
const queue = createQueue({ clock });
const send = async (request) => {
  const outcome = await receiver.send(request);
  if (!quiet) {
    const { delivery, order } = JSON.parse(request.body);
    const status = outcome.status ?? outcome.error;
    console.log(`${new Date(clock.now()).toISOString()} ${delivery} ${order.id} ${request.headers["content-digest"].slice(9, 21)} -> ${status}`);
  }
  return outcome;
};
const worker = createWorker({ config, clock, ledger, queue, log: silentLog, orders, send });

for (const order of JSON.parse(readFileSync(file, "utf8")).slice(0, limit)) {
  orders.add(validateOrder(order));
  queue.put(ledger.open({ order: order.id, endpoint: `https://${order.merchant}.example/hook` }).id);
}
while (queue.length > 0) {
  clock.advanceTo(queue.nextDueAt());
  await worker.tick();
}
console.log(JSON.stringify({ ...ledger.counts(), accepted: receiver.accepted.size, conflicts: receiver.conflicts }));
