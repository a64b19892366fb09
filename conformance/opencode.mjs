/** OpenCode, driven for real: a giant result, reading back, the guard, a compaction it does by itself, going on, resuming. */
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
const SHELL = (command) => ({ calls: [{ name: "bash", input: { command, description: "r" } }] });
const TITLE = {
  tag: "title",
  when: ({ transcript }, text) => (transcript.tools ?? []).length === 0 && text.includes("title"),
  reply: () => "A title",
};

export async function opencode() {
  const place = scratch("opencode");
  const kept = { ref: "ref_000000000000", small: "ref_000000000000" };
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return {
        calls: [{ name: "write", input: { filePath: `${place.project}/copy.log`, content: kept.shown } }],
      };
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
        tag: "compact",
        when: ({ transcript }, text) =>
          (transcript.tools ?? []).length === 0 && text.includes("summarization agent"),
        reply: () => "THE SUMMARY",
      },
      TITLE,
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
        return { ...SHELL("echo on"), usage: { uncachedTokens: 125_000 } };
      },
      (_, text) => {
        kept.after = text;
        kept.small = /(ref_[0-9a-hjkmnp-tv-z]{12}) \| File: small.txt/.exec(text)?.[1] ?? kept.small;
        return firstSmall();
      },
      onwardSmall,
    ],
  });
  const start = await starting(place);
  const ran = await start(server.url, ["read the logs; never touch the port 48213"]);
  await server.close();
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(-1500),
      seen.map(({ tag }) => tag).join(),
      JSON.stringify(kept, null, 1).slice(0, 5000),
    );
  const summarizer = seen.find(({ tag }) => tag === "compact")?.text ?? "";
  check(
    "opencode: a giant result is born as a preview with its ref",
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    "opencode: the model reads it back byte for byte",
    kept.read?.trimEnd() === BIG.trimEnd(),
    kept.read?.slice(0, 300),
  );
  check(
    "opencode: writing a stub into a file is refused",
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  check(
    "opencode: its summarizer is told what may not be left out",
    summarizer.includes("Do not leave out or reword any of these") &&
      summarizer.includes("never touch the port 48213"),
  );
  check(
    "opencode: after the compaction the page is there",
    kept.after?.includes("Kept outside the context (palimpsest)") === true &&
      kept.after.includes("THE SUMMARY"),
    seen.map(({ tag }) => tag).join(),
  );
  check(
    "opencode: a small result that left is read back byte for byte",
    kept.smallRead?.trimEnd() === SMALL.trimEnd(),
    kept.smallRead?.slice(0, 300),
  );
  holds(
    "opencode: no request broke a provider's rule",
    server.violations.length === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  let read;
  const steps = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      read = whole;
      return "done";
    },
  );
  const second = await model({ rules: [TITLE], steps });
  await start(second.server.url, ["--continue", "go on"]);
  await second.server.close();
  check(
    "opencode: after a resume the ref still reads byte for byte",
    read !== undefined && read === kept.read,
    read?.slice(0, 200),
  );
  await doctor("opencode", place, { folder: "opencode", env: foldersOf(place) });
  remove(place);
  await viewed();
  await inSubagent();
}

/** A subagent's session is the child of the one that started it: it reads what its parent was shown. */
async function inSubagent() {
  const place = scratch("opencode-task");
  const kept = { ref: "ref_000000000000" };
  const input = { description: "look", prompt: "look into it", subagent_type: "general" };
  const read = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return "looked";
    },
  );
  const { server, seen } = await model({
    rules: [TITLE],
    steps: [
      () => SHELL("cat big.log"),
      (request) => {
        kept.ref = refIn(resultsIn(request).at(-1) ?? "") ?? kept.ref;
        return { calls: [{ name: "task", input }] };
      },
      (request, text) => {
        kept.isChild = text.includes("look into it") && resultsIn(request).length === 0;
        return read[0](request);
      },
      read[1],
    ],
  });
  const start = await starting(place);
  await start(server.url, ["read the log"]);
  await server.close();
  if (process.env.VERBOSE)
    console.log(seen.map(({ tag }) => tag).join(), kept.isChild, kept.read?.slice(0, 300));
  check(
    "opencode: a subagent reads what left its parent byte for byte",
    kept.isChild === true && kept.read?.trimEnd() === BIG.trimEnd(),
    `${kept.isChild} ${kept.read?.slice(0, 200)}`,
  );
  remove(place);
}

const COMPACTING = {
  tag: "compact",
  when: ({ transcript }, text) =>
    (transcript.tools ?? []).length === 0 && text.includes("summarization agent"),
  reply: () => "THE SUMMARY",
};

/** More than the window takes: with the view OpenCode never has to compact, and a restart shows the same. */
async function viewed() {
  const place = scratch("opencode-view");
  const compact = { calls: [{ name: "compact", input: { focus: "the port" } }] };
  const { kept, steps } = filling({ shell: SHELL, call: CALL, compact });
  const { server, seen } = await model({ rules: [COMPACTING, TITLE], steps });
  const start = await starting(place);
  const ran = await start(server.url, ["read the chunks; never touch the port 48213"]);
  await server.close();
  const sizes = kept.lists.map(lengthOf);
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(-800),
      seen.map(({ tag }) => tag).join(),
      sizes.join(),
      rewrites(kept.lists),
    );
  check(
    "opencode: a session larger than the window goes on without its lossy compaction",
    !seen.some(({ tag }) => tag === "compact") && kept.afterCompact !== undefined,
    seen.map(({ tag }) => tag).join(),
  );
  check(
    "opencode: what is sent is cut back, and in between only grows (the cache holds)",
    Math.max(...sizes) < CHUNKS * chunk(0).length && rewrites(kept.lists) > 0 && rewrites(kept.lists) < 6,
    `${sizes.join()} ${rewrites(kept.lists)}`,
  );
  check(
    "opencode: the user's words stand verbatim in the view",
    kept.last?.includes("48213") === true && kept.read !== undefined,
  );
  check(
    "opencode: what left by the view is read back byte for byte",
    kept.read?.trimEnd() === chunk(0).trimEnd(),
    kept.read?.slice(0, 200),
  );
  check(
    "opencode: the agent compacts when it asks to",
    lengthOf(kept.afterCompact ?? []) < lengthOf(kept.beforeCompact ?? []) / 2,
    `${lengthOf(kept.beforeCompact ?? [])} ${lengthOf(kept.afterCompact ?? [])}`,
  );
  holds(
    "opencode: no request of the long session broke a rule",
    server.violations.length === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  const again = [];
  const second = await model({
    rules: [COMPACTING, TITLE],
    steps: [
      (request) => {
        again.push(request.body.messages.map((one) => JSON.stringify(one)));
        return "done";
      },
    ],
  });
  await start(second.server.url, ["--continue", "go on"]);
  await second.server.close();
  check(
    "opencode: after a restart the model is sent the same bytes, and the new words",
    again.length > 0 &&
      goesOn((kept.afterCompact ?? []).slice(1), again[0].slice(1)) &&
      lengthOf(again[0]) < lengthOf(kept.beforeCompact ?? []),
    again[0] === undefined ? "nothing was asked" : firstDifference(kept.afterCompact ?? [], again[0]),
  );
  remove(place);
}

function firstDifference(before, after) {
  const at = before.findIndex((message, index) => message !== after[index]);
  return `message ${at} of ${before.length}: ${before[at]?.slice(0, 150)} | ${after[at]?.slice(0, 150)}`;
}

const foldersOf = (place) =>
  Object.fromEntries(
    ["DATA", "CONFIG", "CACHE", "STATE"].map((name) => [
      `XDG_${name}_HOME`,
      join(place.home, name.toLowerCase()),
    ]),
  );

async function starting(place) {
  const folders = foldersOf(place);
  const env = environment(place, {
    ...folders,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  });
  // Otherwise OpenCode waits 75 seconds for npm to bring it its own plugin package.
  for (const folder of [join(place.home, "config/opencode"), join(place.home, ".opencode")]) {
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({
        lockfileVersion: 3,
        packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } },
      }),
    );
  }
  await palimpsest(["install", "opencode"], place, folders);
  return (url, words) => {
    const models = {
      "fake-model": { name: "Fake", tool_call: true, limit: { context: 128_000, output: 8192 } },
    };
    const fake = {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL: `${url}/v1`, apiKey: "dummy" },
      models,
    };
    const settings = {
      autoupdate: false,
      share: "disabled",
      model: "fake/fake-model",
      small_model: "fake/fake-model",
      permission: "allow",
      provider: { fake },
    };
    writeFileSync(join(place.project, "opencode.json"), JSON.stringify(settings));
    return run(client("opencode", "opencode"), ["run", "--print-logs", "--format", "json", ...words], {
      env,
      cwd: place.project,
    });
  };
}
