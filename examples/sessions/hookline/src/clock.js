/**
 * Time, as something that is handed in. Everything that waits or asks for the time gets a clock, so that tests
 * do not wait and logs can be compared.
 */
export const systemClock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

export function isoTime(ms) {
  return new Date(ms).toISOString();
}
