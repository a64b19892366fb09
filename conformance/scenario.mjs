/**
 * What every host is put through, and the checks that are the same for all: a giant result, reading it back, the guard, a
 * context that is full, going on, a small result that left, a resume. A suite says how its host spells it, and what is its own.
 */
import {
  BIG,
  CHUNKS,
  check,
  chunk,
  filling,
  goesOn,
  holds,
  lengthOf,
  model,
  reading,
  refIn,
  resultsIn,
  rewrites,
  SMALL,
} from "./drive.mjs";

export const NO_REF = "ref_000000000000";
/** What the user asks in every suite; the port must be there whatever leaves. */
export const WORDS = "read the logs; never touch the port 48213";

/**
 * `shell`, `call` (read_ref) and `write` are how the model asks the host for them; `full` is the reply that fills the context;
 * `between` are steps after the guard, before it is full.
 */
export function firstSession({ shell, call, write, full, between = () => [] }) {
  const kept = { ref: NO_REF, small: NO_REF };
  const into = (name, reply) => (whole) => {
    kept[name] = whole;
    return reply();
  };
  const [first, onward] = reading(
    call,
    () => kept.ref,
    into("read", () => write(kept.shown)),
  );
  const [firstSmall, onwardSmall] = reading(
    call,
    () => kept.small,
    into("smallRead", () => "done"),
  );
  const steps = [
    () => shell("cat small.txt"),
    () => shell("cat big.log"),
    (request) => {
      kept.shown = resultsIn(request).at(-1);
      kept.ref = refIn(kept.shown) ?? NO_REF;
      return first();
    },
    onward,
    ...guarded(kept, between(kept), full),
    (_, text) => {
      kept.after = text;
      kept.small = refOfSmall(text) ?? NO_REF;
      return firstSmall();
    },
    onwardSmall,
  ];
  return { kept, steps };
}

/** Where a page names it: in its table, or beside the file in its summary. */
export const refOfSmall = (text) =>
  (/(ref_[0-9a-hjkmnp-tv-z]{12}) \| File: small\.txt/.exec(text) ??
    /`small\.txt` \[(ref_[0-9a-hjkmnp-tv-z]{12})/.exec(text))?.[1];

/** What the refused write was answered stands in the request that comes next. */
function guarded(kept, between, full) {
  const [next = () => full, ...rest] = between;
  const looked = (request) => {
    kept.guarded = resultsIn(request).at(-1);
    return next(request);
  };
  return [looked, ...rest, ...(between.length > 0 ? [() => full] : [])];
}

/** `isWrapped`: the host puts words of its own around what the tool said. */
export function checkFirst(host, { kept, server, ran, seen, isWrapped = false, isExitOf = true }) {
  tell(ran, seen, kept);
  check(
    `${host}: a giant result is born as a preview with its ref`,
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    `${host}: the model reads it back byte for byte`,
    isWhole(kept.read, BIG, isWrapped),
    kept.read?.slice(0, 300),
  );
  check(
    `${host}: writing a stub into a file is refused`,
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  check(
    `${host}: a small result that left is read back byte for byte`,
    isWhole(kept.smallRead, SMALL, isWrapped),
    kept.smallRead?.slice(0, 300),
  );
  checkRules(host, "no request broke a provider's rule", server, isExitOf ? ran : undefined);
}

/** Where the host's own model writes the summary: it is told what may not be left out, or not asked to be; the page follows. */
export function checkPage(host, { kept, seen }) {
  check(
    `${host}: after the compaction the page is there`,
    kept.after?.includes("Kept outside the context (palimpsest)") === true &&
      kept.after.includes("THE SUMMARY"),
    seen.map(({ tag }) => tag).join(),
  );
}

export function checkTold(host, { seen }) {
  const summarizer = seen.find(({ tag }) => tag === "compact")?.text ?? "";
  check(
    `${host}: its summarizer is told what may not be left out`,
    summarizer.includes("Do not leave out or reword any of these") &&
      summarizer.includes("never touch the port 48213"),
  );
}

export function checkRules(host, what, server, ran, lenient = []) {
  const broken = server.violations.filter(({ code }) => !lenient.includes(code));
  holds(
    `${host}: ${what}`,
    broken.length === 0 && (ran === undefined || ran.code === 0),
    `${ran?.code} ${JSON.stringify(broken).slice(0, 300)}`,
  );
}

/** A session that goes on in another process: `start` starts it against a model at this address. */
export async function checkResume(
  host,
  { kept, call, start, before = [], rules = [], lenient = [], isWrapped = false },
) {
  let read;
  const steps = reading(
    call,
    () => kept.ref,
    (whole) => {
      read = whole;
      return "done";
    },
  );
  const { server } = await model({ rules, lenient, steps: [...before, ...steps] });
  await start(server.url);
  await server.close();
  check(
    `${host}: after a resume the ref still reads byte for byte`,
    isWhole(read, BIG, isWrapped),
    read?.slice(0, 200),
  );
}

/**
 * More than the window takes: what is sent is the host's list seen through the ledger, so it never has to compact by itself, the
 * agent compacts when it asks to, and a restart sends the same bytes.
 */
export async function checkView(host, { shell, call, rules, start, goOn, isExitOf = true }) {
  const compact = { calls: [{ name: "compact", input: { focus: "the port" } }] };
  const { kept, steps } = filling({ shell, call, compact });
  const { server, seen } = await model({ rules, steps });
  const ran = await start(server.url);
  await server.close();
  const sizes = kept.lists.map(lengthOf);
  tell(ran, seen, { sizes, rewrites: rewrites(kept.lists) });
  check(
    `${host}: a session larger than the window goes on without its lossy compaction`,
    !seen.some(({ tag }) => tag === "compact") && kept.afterCompact !== undefined,
    seen.map(({ tag }) => tag).join(),
  );
  check(
    `${host}: what is sent is cut back, and in between only grows (the cache holds)`,
    Math.max(...sizes) < CHUNKS * chunk(0).length && rewrites(kept.lists) > 0 && rewrites(kept.lists) < 6,
    `${sizes.join()} ${rewrites(kept.lists)}`,
  );
  check(
    `${host}: the user's words stand verbatim in the view`,
    kept.last?.includes("48213") === true && kept.read !== undefined,
  );
  check(
    `${host}: what left by the view is read back byte for byte`,
    isWhole(kept.read, chunk(0)),
    kept.read?.slice(0, 200),
  );
  check(
    `${host}: the agent compacts when it asks to, and the run goes on`,
    lengthOf(kept.afterCompact ?? []) < lengthOf(kept.beforeCompact ?? []) / 2,
    `${lengthOf(kept.beforeCompact ?? [])} ${lengthOf(kept.afterCompact ?? [])}`,
  );
  checkRules(host, "no request of the long session broke a rule", server, isExitOf ? ran : undefined);
  await checkRestart(host, { kept, rules, goOn });
}

async function checkRestart(host, { kept, rules, goOn }) {
  let next;
  const step = (request) => {
    next ??= request.body.messages.map((one) => JSON.stringify(one));
    return "done";
  };
  const { server } = await model({ rules, steps: [step] });
  await goOn(server.url);
  await server.close();
  const before = kept.afterCompact ?? [];
  const at = before.findIndex((message, index) => index > 0 && message !== next?.[index]);
  check(
    `${host}: after a restart the model is sent the same bytes, and the new words`,
    next !== undefined &&
      goesOn(before.slice(1), next.slice(1)) &&
      lengthOf(next) < lengthOf(kept.beforeCompact ?? []),
    `message ${at} of ${before.length}: ${before[at]?.slice(0, 150)} | ${next?.[at]?.slice(0, 150)}`,
  );
}

export function isWhole(read, text, isWrapped = false) {
  return isWrapped ? read?.includes(text.trimEnd()) === true : read?.trimEnd() === text.trimEnd();
}

export function tell(ran, seen, kept) {
  if (!process.env.VERBOSE) return;
  const tags = seen.map(({ tag }) => tag).join();
  console.log(
    ran.code,
    ran.err.slice(-1500),
    ran.out.slice(-1500),
    tags,
    JSON.stringify(kept, null, 1).slice(0, 5000),
  );
}
