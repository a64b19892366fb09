import { loadConfig } from "./config.js";
import { systemClock } from "./clock.js";
import { createLog } from "./log.js";
import { createOrderStore } from "./orders/store.js";
import { createJournal } from "./deliveries/journal.js";
import { createLedger } from "./deliveries/ledger.js";
import { createQueue } from "./deliveries/queue.js";
import { createWorker } from "./deliveries/worker.js";
import { sendDelivery } from "./deliveries/send.js";
import { createServer } from "./server.js";

const config = loadConfig();
const log = createLog({ level: config.logLevel });
const clock = systemClock;
const orders = createOrderStore();
const journal = createJournal(config.journal);
const ledger = createLedger({ clock, journal });
const queue = createQueue({ clock });
const worker = createWorker({ config: config.delivery, clock, ledger, queue, log, orders, send: sendDelivery });
const server = createServer({ config, clock, ledger, queue, log, orders });

server.listen(config.port, config.host, () => {
  log.info("listening", { host: config.host, port: config.port });
  worker.start();
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    log.info("stopping", { signal });
    await worker.stop();
    server.close(() => process.exit(0));
  });
}
