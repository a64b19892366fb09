/** The two big files of the project: a fixture of orders and a log of one day. */
import { createRandom } from "./random.mjs";

const GOODS = {
  northwind: [["NW-TEA-250", "Black tea, 250 g", "7.40"], ["NW-MUG-01", "Mug, blue", "12.00"], ["NW-KET-17", "Kettle, 1.7 l", "49.90"], ["NW-TIN-04", "Tea tin, brass", "18.25"]],
  aozora: [["AZ-BRUSH-3", "Calligraphy brush", "2480"], ["AZ-INK-60", "Ink, 60 ml", "1320"], ["AZ-PAPER-100", "Paper, 100 sheets", "3960"]],
  fjordbok: [["FB-9788205", "Sea charts of Lofoten", "349.00"], ["FB-9788211", "Knots, third edition", "229.50"], ["FB-BAG", "Cotton bag", "99.00"]],
  souk: [["SK-OUD-10", "Oud oil, 10 ml", "4.125"], ["SK-DATES-1", "Dates, 1 kg", "2.350"], ["SK-LAMP-2", "Copper lamp", "18.900"]],
};
const CURRENCY = { northwind: ["EUR", 2], aozora: ["JPY", 0], fjordbok: ["NOK", 2], souk: ["KWD", 3] };
const PEOPLE = [["Ines Calder", "Porto", "PT"], ["Tomas Reik", "Graz", "AT"], ["Yui Hayama", "Sendai", "JP"], ["Signe Aas", "Bodø", "NO"], ["Omar Haddad", "Kuwait City", "KW"], ["Lena Voss", "Kiel", "DE"], ["Piotr Zielny", "Gdynia", "PL"]];

export function manyOrders(count = 43) {
  const random = createRandom(20260210);
  return Array.from({ length: count }, (_, index) => {
    // The first ones are plain, so that a short replay works; the souk orders come later.
    const merchant = index < 12 ? random.pick(["northwind", "fjordbok"]) : random.pick(["northwind", "aozora", "fjordbok", "northwind"]);
    return orderOf(index + 1, [23, 31, 38].includes(index) ? "souk" : merchant, random);
  });
}

function orderOf(number, merchant, random) {
  const [currency, digits] = CURRENCY[merchant];
  const scale = 10 ** digits;
  const lines = Array.from({ length: random.int(2, 4) }, (_, index) => {
    const [sku, title, unitPrice] = GOODS[merchant][(number + index) % GOODS[merchant].length];
    return { sku, title, quantity: random.int(1, 5), unitPrice, weightGrams: random.int(40, 2900) };
  });
  const sum = lines.reduce((total, { quantity, unitPrice }) => total + quantity * Math.round(Number(unitPrice) * scale), 0);
  const [name, city, country] = random.pick(PEOPLE);
  return {
    id: `ord_${String(number).padStart(4, "0")}`,
    merchant,
    placedAt: new Date(Date.parse("2026-02-09T05:12:00Z") + number * 1000 * random.int(600, 660)).toISOString(),
    currency,
    customer: { name, city, country, returning: random.next() > 0.4 },
    lines,
    shipping: { method: random.pick(["parcel", "letter", "pickup"]), parcels: random.int(1, 2), weightGrams: random.int(300, 6200), track: `TRK${random.letters("0123456789", 9)}` },
    total: (sum / scale).toFixed(digits),
    channel: random.pick(["web", "app", "phone"]),
    tags: random.pick([[], ["gift"], ["express"], ["gift", "express"]]),
  };
}

export function bigLog() {
  const random = createRandom(409);
  const lines = [];
  let time = Date.parse("2026-02-10T05:58:13.204Z");
  const write = (at, level, message, fields) => lines.push([at, JSON.stringify({ time: new Date(at).toISOString(), level, message, ...fields })]);
  for (let number = 4101; number <= 4101 + 130; number += 1) {
    time += random.int(2100, 61000);
    const delivery = `del_${String(number).padStart(5, "0")}`;
    const order = `ord_${number + 3377}`;
    const fate = random.next();
    if (fate < 0.62) write(time, "info", "delivered", { delivery, attempt: 1, status: 200 });
    else if (fate < 0.7) {
      write(time, "warn", "dispatch failed, will try again", { delivery, attempt: 1, status: 503, delayMs: 1000 });
      write(time + 1000 + random.int(90, 800), "info", "delivered", { delivery, attempt: 2, status: 200 });
    } else if (fate < 0.73) write(time, "error", "dispatch failed for good", { delivery, order, attempt: 1, status: 410 });
    else {
      const second = time + 1000 + random.int(60, 380);
      write(time, "warn", "dispatch failed, will try again", { delivery, attempt: 1, error: "no answer within 2750 ms", delayMs: 1000 });
      write(second, "warn", "dispatch failed, will try again", { delivery, attempt: 2, status: 409, delayMs: 1000, answer: "key_reused" });
      write(second + 1000 + random.int(60, 380), "error", "dispatch failed for good", { delivery, order, attempt: 3, status: 409, answer: "key_reused" });
    }
    if (number % 9 === 0) write(time + 7, "info", "round", { taken: random.int(1, 16), waiting: random.int(0, 40), tookMs: random.int(41, 2790), heapMb: random.int(61, 88) });
    if (number % 23 === 0) write(time + 11, "warn", "round was long", { tookMs: random.int(2751, 2990), concurrency: 16 });
  }
  return lines.sort(([a], [b]) => a - b).map(([, line]) => `${line}\n`).join("");
}
