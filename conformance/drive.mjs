/**
 * What the suites share: a scratch home and project, a scripted model that enforces the provider's rules, one real client
 * driven headless against it, and checks. Everything on loopback.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelServer } from "../dist/testing/index.js";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const BIN = join(ROOT, "dist/cli/bin.js");
export const CLIENTS = process.env.PALIMPSEST_CLIENTS ?? join(tmpdir(), "palimpsest-clients");
/** The control: with our replies switched off the same checks must fail. */
export const IS_CONTROL = process.env.CONTROL === "1" || process.argv.includes("--control");

export const client = (folder, program) => join(CLIENTS, folder, "node_modules/.bin", program);

export function scratch(name) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `conf-${name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  mkdirSync(home);
  mkdirSync(project);
  writeFileSync(join(project, "big.log"), BIG);
  writeFileSync(join(project, "small.txt"), SMALL);
  for (let index = 0; index < CHUNKS; index += 1)
    writeFileSync(join(project, `chunk-${index}.txt`), chunk(index));
  return { folder, home, project, store: join(home, ".palimpsest") };
}

/** Every line different, so that what is missing shows; more than any host shows whole. */
export const BIG = `${Array.from({ length: 2400 }, (_, index) => `${index + 1} entry ${(index * 7919) % 10007} "état" \t of the log`).join("\n")}\n`;
export const SMALL = "the port is 48213 and the owner is Ünal\n";

/** Each too small to be shortened when it comes in; all together more than a window of 128,000 takes. */
export const CHUNKS = 24;
export const chunk = (index) =>
  `${Array.from({ length: 330 }, (_, line) => `chunk ${index} line ${line} says ${(line * 7919 + index * 104729) % 1000003} of "ünï"`).join("\n")}\n`;

export function environment(place, more = {}) {
  return {
    PATH: `${join(CLIENTS, "node22/node_modules/.bin")}:${process.env.PATH}`,
    HOME: place.home,
    PALIMPSEST_HOME: place.store,
    TERM: "dumb",
    LANG: "C.UTF-8",
    ...(IS_CONTROL ? { PALIMPSEST_OFF: "1" } : {}),
    ...more,
  };
}

export function run(program, words, { env, cwd, timeoutMs = 120_000 }) {
  return new Promise((done) => {
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let out = "";
    let err = "";
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (err += text));
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), timeoutMs);
    child.on("close", (code) => {
      clearTimeout(timer);
      done({ code, out, err });
    });
    child.on("error", (error) => done({ code: -1, out, err: String(error) }));
  });
}

export const palimpsest = (words, place, more = {}) =>
  run(process.execPath, [BIN, ...words], { env: environment(place, more), cwd: place.project });

/** `steps` are functions of the request; each returns a reply. Requests a `rule` answers use up no step. */
export async function model({ steps, rules = [], lenient = [] }) {
  const seen = [];
  let step = 0;
  const server = await startModelServer({
    lenient,
    script: (request) => {
      const text = JSON.stringify(request.body);
      const rule = rules.find(({ when }) => when(request, text));
      if (rule) {
        seen.push({ tag: rule.tag, text, request });
        return rule.reply(request, text);
      }
      seen.push({ tag: "step", text, request });
      const reply = steps[step]?.(request, text) ?? "nothing more to say";
      if (!reply.again) step += 1;
      return reply.again ?? reply;
    },
  });
  return { server, seen };
}

/** The texts of all tool results of a request, in order. */
export const resultsIn = ({ transcript }) =>
  transcript.messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool-result" ? [part.output.map((one) => one.text ?? "").join("\n")] : [],
    ),
  );

export const refIn = (text) => /ref_[0-9a-hjkmnp-tv-z]{12}/.exec(text)?.[0];

/** What a read_ref result shows, as text between marks or as JSON, whichever the host gave the model. */
export function originalIn(result, ref) {
  const json = /\{"ref":[\s\S]*\}/.exec(result)?.[0];
  try {
    const { content, next } = JSON.parse(json);
    return { body: content.map((one) => one.text).join(""), next };
  } catch {}
  const open = result.indexOf(`<<<<< ${ref}\n`);
  const close = result.lastIndexOf(`\n>>>>> ${ref}`);
  if (open < 0) return undefined;
  return {
    body: result.slice(open + `<<<<< ${ref}\n`.length, close),
    next: /lines: "([^"]+)"/.exec(result.slice(close))?.[1],
  };
}

/**
 * Steps in which the model reads an original to its end, as it is told to go on, and then hands the whole to `done`, whose
 * reply comes next.
 */
export function reading(call, refOf, done) {
  let whole;
  let next;
  const ask = (ref) => call({ ref, max_tokens: 200000, ...(next ? { lines: next } : {}) });
  return [
    () => ask(refOf()),
    (request) => {
      const result = resultsIn(request).at(-1) ?? "";
      const part = originalIn(result, refOf());
      // A first piece comes as it is; those asked for by lines come numbered.
      const body = next ? part?.body.replaceAll(/^\d+\t/gm, "") : part?.body;
      whole = whole === undefined ? body : `${whole}\n${body}`;
      next = part?.next;
      return next ? { again: ask(refOf()) } : done(whole, result);
    },
  ];
}

/**
 * A session that keeps filling: a chunk at every step, in all more than the window takes, then a look back at the first, a
 * compaction the agent asks for, and the end. What the model was sent is noted, so that it can be compared.
 */
export function filling({ shell, call, compact }) {
  const kept = { lists: [], ref: "ref_000000000000" };
  const note = (request) => kept.lists.push(sentIn(request));
  const [ask, onward] = reading(
    call,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      kept.beforeCompact = kept.lists.at(-1);
      return compact;
    },
  );
  const fill = Array.from({ length: CHUNKS }, (_, index) => (request) => {
    note(request);
    return shell(`cat chunk-${index}.txt`);
  });
  const look = (request, text) => {
    note(request);
    kept.last = text;
    kept.ref = /(ref_[0-9a-hjkmnp-tv-z]{12})[^\n⟦⟧]{0,40}chunk-0\.txt/.exec(text)?.[1] ?? kept.ref;
    return ask(request);
  };
  const again = (request) => {
    note(request);
    return onward(request);
  };
  const end = (request) => {
    note(request);
    kept.afterCompact = kept.lists.at(-1);
    return "done";
  };
  return { kept, steps: [...fill, look, again, end] };
}

/** The messages of a request, each as its bytes: what a prompt cache compares. */
const sentIn = ({ body }) => (body.messages ?? body.input ?? body.contents).map((one) => JSON.stringify(one));
export const lengthOf = (sent) => sent.join("").length;
export const goesOn = (before, after) => before.every((message, index) => message === after[index]);
/** How often what had been sent was sent otherwise: each time the cache behind it is written anew. */
export const rewrites = (lists) =>
  lists.filter((sent, index) => index > 0 && !goesOn(lists[index - 1], sent)).length;

const failed = [];
let passed = 0;
let skipped = 0;

/** What we bring about. In the control, with our replies off, it must not be so. */
export function check(name, isTrue, more = "") {
  holds(IS_CONTROL ? `without us not so: ${name}` : name, IS_CONTROL ? !isTrue : isTrue, more);
}

/** What is so with us and without us. */
export function holds(name, isTrue, more = "") {
  console.log(`${isTrue ? "PASS" : "FAIL"}  ${name}${isTrue || more === "" ? "" : `  (${more})`}`);
  if (isTrue) passed += 1;
  else failed.push(name);
}

export function skip(name, why) {
  console.log(`SKIP  ${name}: ${why}`);
  skipped += 1;
}

export const tally = () => ({ passed, failed, skipped });
export const remove = ({ folder }) =>
  process.env.KEEP === "1" ? console.log(folder) : rmSync(folder, { recursive: true, force: true });

/** `doctor`, in the same home and with the client on the path: green, or what was bad. */
export async function doctor(host, place, { folder, env = {} }) {
  const path = `${dirname(client(folder, folder))}:${environment(place).PATH}`;
  const ran = await palimpsest(["doctor", host, "--json"], place, { ...env, PATH: path });
  const bad = /"findings"/.test(ran.out) ? JSON.parse(ran.out).findings.filter(({ isGood }) => !isGood) : [];
  check(
    `${host}: doctor is green`,
    ran.code === 0,
    bad.map(({ what, detail }) => `${what}: ${detail}`).join("; ") || ran.err.slice(0, 300),
  );
}
