/**
 * Money is counted in minor units (cents), as whole numbers. Prices come in as decimal strings, because a JSON
 * number has already lost the cent by the time we see it.
 */
const DECIMAL = /^(\d+)(?:\.(\d{1,2}))?$/;

export function toMinor(price) {
  const match = DECIMAL.exec(price);
  if (!match) throw new RangeError(`not a price: ${JSON.stringify(price)}`);
  const [, whole, fraction = ""] = match;
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

export function fromMinor(minor) {
  const whole = Math.trunc(minor / 100);
  return `${whole}.${String(minor % 100).padStart(2, "0")}`;
}

/** What the lines of an order add up to. */
export function totalOf(lines) {
  return lines.reduce((sum, line) => sum + toMinor(line.unitPrice) * line.quantity, 0);
}
