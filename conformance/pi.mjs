/** pi, driven for real: a giant result, reading back, the guard, an overflow we compact without a model, going on, resuming. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BIG,
  CHUNKS,
  check,
  chunk,
  client,
  doctor,
  environment,
  filling,
  goesOn,
  holds,
  lengthOf,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  rewrites,
  run,
  SMALL,
  scratch,
} from "./drive.mjs";

const CALL = (input) => ({ calls: [{ name: "read_ref", input }] });
const SHELL = (command) => ({ calls: [{ name: "bash", input: { command } }] });

export async function pi() {
  const place = scratch("pi");
  const kept = { ref: "ref_000000000000", small: "ref_000000000000" };
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return { calls: [{ name: "write", input: { path: "copy.log", content: kept.shown } }] };
    },
  );
  const [firstSmall, onwardSmall] = reading(
    CALL,
    () => kept.small,
    (whole) => {
      kept.smallRead = whole;
      return "done";
    },
  );
  const { server, seen } = await model({
    rules: [
      {
        tag: "summary by a model",
        when: ({ transcript }) => (transcript.tools ?? []).length === 0,
        reply: () => "THEIR SUMMARY",
      },
    ],
    steps: [
      () => SHELL("cat small.txt"),
      () => SHELL("cat big.log"),
      (request) => {
        kept.shown = resultsIn(request).at(-1);
        kept.ref = refIn(kept.shown) ?? kept.ref;
        return first();
      },
      onward,
      (request) => {
        kept.guarded = resultsIn(request).at(-1);
        return { fault: "overflow" };
      },
      (_, text) => {
        kept.after = text;
        kept.small = /(ref_[0-9a-hjkmnp-tv-z]{12}) \| File: small.txt/.exec(text)?.[1] ?? kept.small;
        return firstSmall();
      },
      onwardSmall,
    ],
  });
  const { ran, again } = await drive(place, server.url);
  await server.close();
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(0, 2000),
      seen.map(({ tag }) => tag).join(),
      JSON.stringify(kept, null, 1).slice(0, 4000),
    );
  check(
    "pi: a giant result is born as a preview with its ref",
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    "pi: the model reads it back byte for byte",
    kept.read?.trimEnd() === BIG.trimEnd(),
    kept.read?.slice(0, 200),
  );
  check(
    "pi: writing a stub into a file is refused",
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  check(
    "pi: compaction is taken over, no model is asked",
    !seen.some(({ tag }) => tag !== "step") && kept.after?.includes("What can be read back") === true,
    seen.map(({ tag }) => tag).join(),
  );
  check("pi: the user's words are in the page", kept.after?.includes("never touch the port 48213") === true);
  check(
    "pi: a small result that left is read back byte for byte",
    kept.smallRead?.trimEnd() === SMALL.trimEnd(),
    kept.smallRead?.slice(0, 300),
  );
  holds(
    "pi: no request broke a provider's rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  let read;
  const second = await model({
    steps: reading(
      CALL,
      () => kept.ref,
      (whole) => {
        read = whole;
        return "done";
      },
    ),
  });
  await again(second.server.url);
  await second.server.close();
  check(
    "pi: after a resume the ref still reads byte for byte",
    read !== undefined && read === kept.read,
    read?.slice(0, 200),
  );
  await doctor("pi", place, { folder: "pi" });
  remove(place);
  await viewed();
}

/** More than the window takes: with the view pi never has to compact, and a restart shows the same. */
async function viewed() {
  const place = scratch("pi-view");
  const compact = { calls: [{ name: "compact", input: { focus: "the port" } }] };
  const { kept, steps } = filling({ shell: SHELL, call: CALL, compact });
  const summaries = {
    tag: "summary by a model",
    when: ({ transcript }) => (transcript.tools ?? []).length === 0,
    reply: () => "THEIR SUMMARY",
  };
  const { server, seen } = await model({ rules: [summaries], steps });
  const { ran, again } = await drive(place, server.url);
  await server.close();
  const sizes = kept.lists.map(lengthOf);
  if (process.env.VERBOSE)
    console.log(ran.code, ran.err.slice(-800), seen.map(({ tag }) => tag).join(), sizes.join());
  check(
    "pi: a session larger than the window goes on, cut back and otherwise only growing (the cache holds)",
    kept.afterCompact !== undefined &&
      Math.max(...sizes) < CHUNKS * chunk(0).length &&
      rewrites(kept.lists) > 0 &&
      rewrites(kept.lists) < 6,
    `${sizes.join()} ${rewrites(kept.lists)}`,
  );
  check(
    "pi: what left by the view is read back byte for byte",
    kept.read?.trimEnd() === chunk(0).trimEnd(),
    kept.read?.slice(0, 200),
  );
  check(
    "pi: the agent compacts when it asks to, and the run goes on",
    lengthOf(kept.afterCompact ?? []) < lengthOf(kept.beforeCompact ?? []) / 2,
    `${lengthOf(kept.beforeCompact ?? [])} ${lengthOf(kept.afterCompact ?? [])}`,
  );
  holds(
    "pi: no request of the long session broke a rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  let next;
  const second = await model({
    rules: [summaries],
    steps: [
      (request) => {
        next = request.body.messages.map((one) => JSON.stringify(one));
        return "done";
      },
    ],
  });
  await again(second.server.url);
  await second.server.close();
  check(
    "pi: after a restart the model is sent the same bytes, and the new words",
    next !== undefined &&
      goesOn((kept.afterCompact ?? []).slice(1), next.slice(1)) &&
      lengthOf(next) < lengthOf(kept.beforeCompact ?? []),
    String(next).slice(0, 300),
  );
  remove(place);
}

async function drive(place, url) {
  await palimpsest(["install", "pi"], place);
  const env = environment(place, { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" });
  const words = ["-p", "--provider", "fake", "--model", "fake-model", "--mode", "json"];
  configure(place, url);
  const start = (more) => run(client("pi", "pi"), [...words, ...more], { env, cwd: place.project });
  const ran = await start(["read the logs; never touch the port 48213"]);
  const again = (next) => {
    configure(place, next);
    return start(["--continue", "go on"]);
  };
  return { ran, again };
}

function configure(place, url) {
  const folder = join(place.home, ".pi/agent");
  mkdirSync(folder, { recursive: true });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const models = [
    {
      id: "fake-model",
      name: "Fake",
      reasoning: false,
      input: ["text"],
      contextWindow: 128_000,
      maxTokens: 8192,
      cost,
    },
  ];
  const fake = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "dummy", models };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { fake } }));
  writeFileSync(
    join(folder, "settings.json"),
    JSON.stringify({ compaction: { keepRecentTokens: 10, reserveTokens: 16384 } }),
  );
}
