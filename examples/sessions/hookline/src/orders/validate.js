/** What an order must be before we take it. All problems at once: a merchant fixes a form, not one field per try. */
import { totalOf, toMinor } from "./money.js";

const ID = /^ord_[0-9]{4,}$/;
const CURRENCY = /^[A-Z]{3}$/;

export class OrderError extends Error {
  constructor(id, problems) {
    super(`${id ?? "order without id"}: ${problems.join("; ")}`);
    this.name = "OrderError";
    this.status = 422;
    this.problems = problems;
  }
}

export function validateOrder(order) {
  const problems = [...problemsOfHead(order), ...problemsOfLines(order?.lines)];
  if (problems.length === 0) problems.push(...problemsOfTotal(order));
  if (problems.length > 0) throw new OrderError(order?.id, problems);
  return order;
}

function problemsOfHead(order) {
  if (typeof order !== "object" || order === null) return ["not an object"];
  const problems = [];
  if (!ID.test(order.id ?? "")) problems.push(`id ${JSON.stringify(order.id)} does not look like ord_0001`);
  if (typeof order.merchant !== "string" || order.merchant === "") problems.push("merchant is missing");
  if (!CURRENCY.test(order.currency ?? "")) problems.push(`currency ${JSON.stringify(order.currency)} is not ISO 4217`);
  if (Number.isNaN(Date.parse(order.placedAt))) problems.push(`placedAt ${JSON.stringify(order.placedAt)} is not a time`);
  return problems;
}

function problemsOfLines(lines) {
  if (!Array.isArray(lines) || lines.length === 0) return ["there are no lines"];
  return lines.flatMap((line, index) => {
    const problems = [];
    if (typeof line.sku !== "string" || line.sku === "") problems.push(`line ${index + 1} has no sku`);
    if (!Number.isInteger(line.quantity) || line.quantity < 1) problems.push(`line ${index + 1}: quantity ${line.quantity}`);
    if (typeof line.unitPrice !== "string") problems.push(`line ${index + 1}: unitPrice is not a string`);
    return problems;
  });
}

function problemsOfTotal(order) {
  const sum = totalOf(order.lines);
  const said = toMinor(order.total);
  if (sum === said) return [];
  return [`lines add up to ${sum} ${order.currency}, order says ${said}`];
}
