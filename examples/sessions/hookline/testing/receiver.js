/**
 * A receiver as our partners write them: it remembers idempotency keys and the digest it saw first, answers a
 * repeated request like the first one, and refuses a key that comes back with another body.
 *
 * `mood` decides per request: "fine" answers, "slow" takes the order but answers too late, "down" refuses to talk,
 * a number is answered as that status.
 */
export function createReceiver({ clock, mood = () => "fine", answersAfterMs = 40 } = {}) {
  const accepted = new Map();
  const seen = new Map();
  const requests = [];
  const receiver = { accepted, requests, conflicts: 0, send };
  return receiver;

  async function send(request) {
    const key = request.headers["idempotency-key"];
    const digest = request.headers["content-digest"];
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    requests.push({ ...request, at: clock.now() });
    const today = mood({ key, seen: count });
    if (today === "down") return { error: "connect ECONNREFUSED 192.0.2.17:443" };
    if (typeof today === "number") return { status: today, text: "" };
    if (accepted.has(key) && accepted.get(key) !== digest) {
      receiver.conflicts += 1;
      return { status: 409, text: JSON.stringify({ code: "key_reused", message: "idempotency key reused with another body" }) };
    }
    const isRepeat = accepted.has(key);
    accepted.set(key, digest);
    if (today === "slow" && answersAfterMs > request.timeoutMs) {
      clock.advance(request.timeoutMs);
      return { error: `no answer within ${request.timeoutMs} ms` };
    }
    clock.advance(Math.min(answersAfterMs, 40));
    return { status: 200, text: JSON.stringify({ duplicate: isRepeat }) };
  }
}
