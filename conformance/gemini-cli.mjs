/** Gemini CLI, driven for real: a giant result, reading back, the guard, a resume. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BIG,
  check,
  client,
  doctor,
  environment,
  holds,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  run,
  scratch,
} from "./drive.mjs";

const CALL = (input) => ({ calls: [{ name: "mcp_palimpsest_read_ref", input }] });
const SHELL = (command) => ({ calls: [{ name: "run_shell_command", input: { command, description: "r" } }] });

export async function geminiCli() {
  const place = scratch("gemini");
  const kept = { ref: "ref_000000000000" };
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return {
        calls: [
          { name: "write_file", input: { file_path: `${place.project}/copy.log`, content: kept.shown } },
        ],
      };
    },
  );
  const { server, seen } = await model({
    steps: [
      () => SHELL("cat big.log"),
      (request) => {
        kept.shown = resultsIn(request).at(-1);
        kept.ref = refIn(kept.shown) ?? kept.ref;
        return first();
      },
      onward,
      (request) => {
        kept.guarded = resultsIn(request).at(-1);
        return "done";
      },
    ],
  });
  configure(place);
  await palimpsest(["install", "gemini-cli"], place);
  const start = (url, words) =>
    run(
      client("gemini", "gemini"),
      [...words, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust", "-o", "stream-json"],
      {
        env: environment(place, {
          GEMINI_API_KEY: "dummy",
          GOOGLE_GEMINI_BASE_URL: url,
          GEMINI_CLI_TRUST_WORKSPACE: "true",
        }),
        cwd: place.project,
      },
    );
  const ran = await start(server.url, ["-p", "read the logs"]);
  await server.close();
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(0, 3000),
      ran.out.slice(-1500),
      seen.map(({ tag }) => tag).join(),
      JSON.stringify(kept, null, 1).slice(0, 3000),
    );
  check(
    "gemini-cli: a giant result is born as a preview with its ref",
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    "gemini-cli: the model reads it back byte for byte",
    kept.read?.includes(BIG.trimEnd()) === true,
    kept.read?.slice(0, 300),
  );
  check(
    "gemini-cli: writing a stub into a file is refused",
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  holds(
    "gemini-cli: no request broke a provider's rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  let read;
  // A resumed session of Gemini CLI 0.61.0 sends every function response twice, with or without us; the rule is waived.
  const second = await model({
    lenient: ["repeated-result"],
    steps: reading(
      CALL,
      () => kept.ref,
      (whole) => {
        read = whole;
        return "done";
      },
    ),
  });
  await start(second.server.url, ["-p", "go on", "--resume", "latest"]);
  await second.server.close();
  check(
    "gemini-cli: after a resume the ref still reads byte for byte",
    read !== undefined && read === kept.read,
    read?.slice(0, 200),
  );
  await doctor("gemini-cli", place, { folder: "gemini" });
  remove(place);
}

function configure(place) {
  mkdirSync(join(place.home, ".gemini"), { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ide: { enabled: false },
  };
  writeFileSync(join(place.home, ".gemini/settings.json"), JSON.stringify(settings));
}
