/** When to try again, and when to give up. */

/** Answers that will not change by asking again. */
const PERMANENT = new Set([400, 401, 403, 404, 410, 413, 415, 422]);

export function isSuccess({ status }) {
  return status !== undefined && status >= 200 && status < 300;
}

export function isPermanent({ status }) {
  return PERMANENT.has(status);
}

/** Milliseconds to wait after the given attempt (1 is the first), or undefined to give up. */
export function delayAfter(attempt, outcome, { maxAttempts, baseDelayMs }) {
  if (isPermanent(outcome)) return undefined;
  if (attempt >= maxAttempts) return undefined;
  return baseDelayMs;
}
