/** pi, driven for real: an overflow we compact without a model, and the view that keeps pi from having to. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, client, doctor, environment, model, palimpsest, remove, run, scratch } from "./drive.mjs";
import { checkFirst, checkResume, checkView, firstSession, WORDS } from "./scenario.mjs";

const call = (input) => ({ calls: [{ name: "read_ref", input }] });
const shell = (command) => ({ calls: [{ name: "bash", input: { command } }] });
/** Its own summarizer: asked only where ours is off. */
const SUMMARIZER = {
  tag: "compact",
  when: ({ transcript }) => (transcript.tools ?? []).length === 0,
  reply: () => "THEIR SUMMARY",
};

export async function pi() {
  const place = scratch("pi");
  const write = (content) => ({ calls: [{ name: "write", input: { path: "copy.log", content } }] });
  const { kept, steps } = firstSession({ shell, call, write, full: { fault: "overflow" } });
  const { server, seen } = await model({ rules: [SUMMARIZER], steps });
  const { start, goOn } = await installed(place);
  const ran = await start(server.url);
  await server.close();
  checkFirst("pi", { kept, server, ran, seen });
  check(
    "pi: compaction is taken over, no model is asked",
    !seen.some(({ tag }) => tag !== "step") && kept.after?.includes("What can be read back") === true,
    seen.map(({ tag }) => tag).join(),
  );
  check("pi: the user's words are in the page", kept.after?.includes("never touch the port 48213") === true);
  await checkResume("pi", { kept, call, start: goOn });
  await doctor("pi", place, { folder: "pi" });
  remove(place);
  const beside = scratch("pi-view");
  await checkView("pi", { shell, call, rules: [SUMMARIZER], ...(await installed(beside)) });
  remove(beside);
}

async function installed(place) {
  await palimpsest(["install", "pi"], place);
  const env = environment(place, { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" });
  const words = ["-p", "--provider", "fake", "--model", "fake-model", "--mode", "json"];
  const started = (url, more) => {
    configure(place, url);
    return run(client("pi", "pi"), [...words, ...more], { env, cwd: place.project });
  };
  return { start: (url) => started(url, [WORDS]), goOn: (url) => started(url, ["--continue", "go on"]) };
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
