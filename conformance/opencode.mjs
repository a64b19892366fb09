/** OpenCode, driven for real: a compaction it does by itself, the view that keeps it from having to, a subagent. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BIG,
  check,
  client,
  doctor,
  environment,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  run,
  scratch,
} from "./drive.mjs";
import {
  checkFirst,
  checkPage,
  checkResume,
  checkTold,
  checkView,
  firstSession,
  isWhole,
  NO_REF,
  WORDS,
} from "./scenario.mjs";

const call = (input) => ({ calls: [{ name: "read_ref", input }] });
const shell = (command) => ({ calls: [{ name: "bash", input: { command, description: "r" } }] });
const isAside = ({ transcript }) => (transcript.tools ?? []).length === 0;
const TITLE = {
  tag: "title",
  when: (request, text) => isAside(request) && text.includes("title"),
  reply: () => "A title",
};
const SUMMARIZER = {
  tag: "compact",
  when: (request, text) => isAside(request) && text.includes("summarization agent"),
  reply: () => "THE SUMMARY",
};
const rules = [SUMMARIZER, TITLE];
/** It exits with 1 after a compaction, whatever came of it. */
const isExitOf = false;

export async function opencode() {
  const place = scratch("opencode");
  const write = (content) => ({
    calls: [{ name: "write", input: { filePath: `${place.project}/copy.log`, content } }],
  });
  const full = { ...shell("echo on"), usage: { uncachedTokens: 125_000 } };
  const { kept, steps } = firstSession({ shell, call, write, full });
  const { server, seen } = await model({ rules, steps });
  const { start, goOn } = await installed(place);
  const ran = await start(server.url);
  await server.close();
  checkFirst("opencode", { kept, server, ran, seen, isExitOf });
  checkTold("opencode", { seen });
  checkPage("opencode", { kept, seen });
  await checkResume("opencode", { kept, call, rules, start: goOn });
  await doctor("opencode", place, { folder: "opencode", env: foldersOf(place) });
  remove(place);
  const beside = scratch("opencode-view");
  await checkView("opencode", { shell, call, rules, isExitOf, ...(await installed(beside)) });
  remove(beside);
  await inSubagent();
}

/** A subagent's session is the child of the one that started it: it reads what its parent was shown. */
async function inSubagent() {
  const place = scratch("opencode-task");
  const kept = { ref: NO_REF };
  const input = { description: "look", prompt: "look into it", subagent_type: "general" };
  const read = reading(
    call,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return "looked";
    },
  );
  const { server, seen } = await model({
    rules: [TITLE],
    steps: [
      () => shell("cat big.log"),
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
  const { start } = await installed(place);
  await start(server.url);
  await server.close();
  if (process.env.VERBOSE)
    console.log(seen.map(({ tag }) => tag).join(), kept.isChild, kept.read?.slice(0, 300));
  check(
    "opencode: a subagent reads what left its parent byte for byte",
    kept.isChild === true && isWhole(kept.read, BIG),
    `${kept.isChild} ${kept.read?.slice(0, 200)}`,
  );
  remove(place);
}

const foldersOf = (place) =>
  Object.fromEntries(
    ["DATA", "CONFIG", "CACHE", "STATE"].map((name) => [
      `XDG_${name}_HOME`,
      join(place.home, name.toLowerCase()),
    ]),
  );

async function installed(place) {
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
  const started = (url, words) => {
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
  return { start: (url) => started(url, [WORDS]), goOn: (url) => started(url, ["--continue", "go on"]) };
}
