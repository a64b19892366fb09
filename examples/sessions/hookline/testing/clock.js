/** A clock that stands still until it is told to move. */
export function createTestClock(start = Date.parse("2026-02-10T06:00:00Z")) {
  let now = start;
  return {
    now: () => now,
    wait: async (ms) => {
      now += ms;
    },
    advance(ms) {
      now += ms;
    },
    advanceTo(time) {
      now = Math.max(now, time);
    },
  };
}
