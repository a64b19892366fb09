/**
 * The table of docs/policies/README.md: every policy over every session of ../shared/transcripts, compacted once and three
 * times as it grew, each asked for (so that sessions below a policy's trigger count too) in the window of its model.
 * `npm run build && nice -n 10 node scripts/policy-table.mjs [--only policy,policy] [--write]`; `--write` puts it in its place.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { stagesOf } from "../dist/cli/stages.js";
import { compact } from "../dist/compact.js";
import { openFile } from "../dist/file.js";
import { estimatorFor, messageTokens } from "../dist/measure/count.js";
import { measure } from "../dist/measure/measure.js";
import { policies } from "../dist/plan/policies.js";
import { memoryStore } from "../dist/store/memory.js";
import { readSession } from "../dist/wire/wires.js";

const FOLDER = resolve(import.meta.dirname, "../../shared/transcripts");
const PAGE = resolve(import.meta.dirname, "../docs/policies/README.md");
const AT = Date.UTC(2026, 10, 18);
const CASCADES = [1, 3];

if (!existsSync(FOLDER)) throw new Error(`There are no sessions in ${FOLDER}.`);
const only = process.argv[process.argv.indexOf("--only") + 1]?.split(",");
const chosen = process.argv.includes("--only")
  ? policies.filter(({ name }) => only.includes(name))
  : policies;
const rows = new Map(chosen.map(({ name }) => [name, CASCADES.map(emptyRow)]));

for (const name of sessionNames()) {
  const { whole } = readSession(openFile(resolve(FOLDER, name)));
  const counter = estimatorFor(whole.model);
  for (const policy of chosen)
    for (const [index, times] of CASCADES.entries()) {
      const stages = times === 1 ? [whole] : stagesOf(whole, times, (said) => messageTokens(said, counter));
      const came = await cascade(stages, policy);
      const row = rows.get(policy.name)[index];
      row.before += measure(whole, { counter }).total;
      row.after += measure(came.transcript, { counter }).total;
      row.compactions += came.compactions;
      row.ms += came.ms;
    }
  process.stderr.write(`${name}\n`);
}

const text = tableOf(rows);
if (process.argv.includes("--write")) writeTable(text);
else process.stdout.write(`${text}\n`);

function emptyRow() {
  return { before: 0, after: 0, compactions: 0, ms: 0 };
}

function sessionNames() {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes("/"))
    .sort();
}

async function cascade(stages, policy) {
  const store = memoryStore();
  await store.openSession({ id: "s", at: AT });
  let compactions = 0;
  let transcript = stages.at(-1);
  // Of the processor, not of the clock: a busy machine would make every policy look slow.
  const started = process.cpuUsage();
  for (const stage of stages) {
    const outcome = await compact(stage, { store, sessionId: "s", policy, trigger: "manual", at: AT });
    if (outcome.kind === "compacted") compactions += 1;
    transcript = outcome.transcript;
  }
  const { user, system } = process.cpuUsage(started);
  return { compactions, transcript, ms: (user + system) / 1_000 };
}

function tableOf(all) {
  const head = [
    "| policy | tokens before | after, once | ratio | after, three times | ratio | compactions of 3 | CPU ms, once | CPU ms, three times |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  ];
  const count = (number) => Math.round(number).toLocaleString("en-US");
  const ratio = ({ before, after }) => `${(before / after).toFixed(1)} ×`;
  const sessions = sessionNames().length;
  const body = [...all].map(([name, [once, thrice]]) =>
    [
      `| \`${name}\``,
      count(once.before),
      count(once.after),
      ratio(once),
      count(thrice.after),
      ratio(thrice),
      (thrice.compactions / sessions).toFixed(1),
      count(once.ms / sessions),
      `${count(thrice.ms / sessions)} |`,
    ].join(" | "),
  );
  return [...head, ...body].join("\n");
}

/** Between the two marks of the page. */
function writeTable(table) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split("<!-- table -->\n");
  const after = rest?.split("<!-- end of table -->")[1];
  if (after === undefined) throw new Error(`${PAGE} has no marks for the table.`);
  writeFileSync(PAGE, `${before}<!-- table -->\n\n${table}\n\n<!-- end of table -->${after}`);
}
