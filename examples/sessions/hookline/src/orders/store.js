/** Orders by id. In memory; the database behind it is written by another service from the journal. */
export class DuplicateOrderError extends Error {
  constructor(id) {
    super(`order ${id} is already here`);
    this.name = "DuplicateOrderError";
    this.status = 409;
  }
}

export function createOrderStore() {
  const orders = new Map();
  return {
    add(order) {
      if (orders.has(order.id)) throw new DuplicateOrderError(order.id);
      orders.set(order.id, Object.freeze({ ...order }));
      return orders.get(order.id);
    },
    get: (id) => orders.get(id),
    get size() {
      return orders.size;
    },
    *ofMerchant(merchant) {
      for (const order of orders.values()) if (order.merchant === merchant) yield order;
    },
  };
}
