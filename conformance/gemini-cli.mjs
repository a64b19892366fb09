/** Gemini CLI, driven for real: its own compression between two turns, our page behind its summary, in the same bytes each time. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  check,
  client,
  doctor,
  environment,
  model,
  palimpsest,
  reading,
  remove,
  run,
  scratch,
} from "./drive.mjs";
import {
  checkFirst,
  checkResume,
  checkRules,
  firstSession,
  NO_REF,
  refOfSmall,
  tell,
  WORDS,
} from "./scenario.mjs";

const call = (input) => ({ calls: [{ name: "mcp_palimpsest_read_ref", input }] });
const shell = (command) => ({ calls: [{ name: "run_shell_command", input: { command, description: "r" } }] });
/** A resumed session of Gemini CLI 0.61.0 sends every function response twice, with or without us; the rule is waived. */
const lenient = ["repeated-result"];
const SUMMARIZER = {
  tag: "compact",
  when: ({ transcript }, text) => (transcript.tools ?? []).length === 0 && text.includes("state_snapshot"),
  reply: () => "<state_snapshot>THE SUMMARY</state_snapshot>",
};

export async function geminiCli() {
  const place = scratch("gemini");
  const write = (content) => ({
    calls: [{ name: "write_file", input: { file_path: `${place.project}/copy.log`, content } }],
  });
  // It compresses between turns only, so nothing fills up here, and its small result is read by a ref the command line gives.
  const { kept, steps } = firstSession({ shell, call, write, full: "done" });
  const { server, seen } = await model({ steps });
  const start = await installed(place);
  const ran = await start(server.url, ["-p", WORDS]);
  await server.close();
  await compressed(start, kept);
  checkFirst("gemini-cli", { kept, server, ran, seen, isWrapped: true });
  const goOn = (url) => start(url, ["-p", "go on", "--resume", "latest"]);
  await checkResume("gemini-cli", { kept, call, start: goOn, lenient, rules: [SUMMARIZER], isWrapped: true });
  await doctor("gemini-cli", place, { folder: "gemini" });
  remove(place);
}

/** The second turn is compressed before the model is asked; the third is not, and is sent what the second was. */
async function compressed(start, kept) {
  const sent = [];
  const note = (step) => (request, text) => {
    sent.push({ text, contents: request.body.contents });
    kept.small = refOfSmall(text) ?? kept.small;
    return step(request, text);
  };
  kept.small = NO_REF;
  const [first, onward] = reading(
    call,
    () => kept.small,
    (whole) => {
      kept.smallRead = whole;
      return "done";
    },
  );
  const { server, seen } = await model({
    rules: [SUMMARIZER],
    lenient,
    steps: [note(first), note(onward), note(() => "done")],
  });
  const ran = await start(server.url, ["-p", "and now?", "--resume", "latest"], 0.001);
  await start(server.url, ["-p", "and then?", "--resume", "latest"], 0.9);
  await server.close();
  tell(ran, seen, { sent: sent.map(({ text }) => text.slice(0, 3000)) });
  const page = "Kept outside the context (palimpsest)";
  check(
    "gemini-cli: after a compression the page stands behind its summary",
    seen.some(({ tag }) => tag === "compact") &&
      sent[0]?.text.includes("THE SUMMARY") === true &&
      sent[0].text.includes(page) &&
      sent[0].text.includes("never touch the port 48213"),
    seen.map(({ tag }) => tag).join(),
  );
  const summaryIn = ({ contents }) =>
    JSON.stringify(contents.find((one) => JSON.stringify(one).includes("THE SUMMARY")));
  check(
    "gemini-cli: in the same bytes with every request, after a resume too",
    sent.length === 3 &&
      sent.every((one) => one.text.includes(page) && summaryIn(one) === summaryIn(sent[0])),
    `${sent.length} requests`,
  );
  checkRules("gemini-cli", "nothing around the compression broke a provider's rule", server, ran, lenient);
}

async function installed(place) {
  configure(place);
  await palimpsest(["install", "gemini-cli"], place);
  const words = ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust", "-o", "stream-json"];
  return (url, more, threshold) => {
    if (threshold !== undefined) configure(place, { model: { compressionThreshold: threshold } });
    const env = environment(place, {
      GEMINI_API_KEY: "dummy",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    });
    return run(client("gemini", "gemini"), [...more, ...words], { env, cwd: place.project });
  };
}

/** Over what is there: the user's settings, and ours beside them. */
function configure(place, more = {}) {
  const path = join(place.home, ".gemini/settings.json");
  mkdirSync(dirname(path), { recursive: true });
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const settings = {
    ...before,
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ide: { enabled: false },
    ...more,
  };
  writeFileSync(path, JSON.stringify(settings));
}
