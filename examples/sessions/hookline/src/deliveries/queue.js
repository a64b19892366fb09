/** Deliveries that wait, ordered by when they are due; those due at the same time leave in the order they came. */
export function createQueue({ clock }) {
  const entries = [];
  let count = 0;
  return {
    put(id, dueAt = clock.now()) {
      const entry = { id, dueAt, order: count++ };
      const index = entries.findIndex((other) => other.dueAt > dueAt);
      if (index < 0) entries.push(entry);
      else entries.splice(index, 0, entry);
    },
    /** Takes up to `limit` deliveries that are due. */
    take(limit = 1) {
      const now = clock.now();
      let due = 0;
      while (due < entries.length && due < limit && entries[due].dueAt <= now) due += 1;
      return entries.splice(0, due).map(({ id }) => id);
    },
    remove(id) {
      const index = entries.findIndex((entry) => entry.id === id);
      if (index >= 0) entries.splice(index, 1);
      return index >= 0;
    },
    nextDueAt: () => entries[0]?.dueAt,
    get length() {
      return entries.length;
    },
  };
}
