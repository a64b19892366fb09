/**
 * Fits the weights of the token estimator (`src/measure/weights.ts`) against o200k, and says how well they hold on
 * texts they were not fitted on.
 *
 *   npm run build && node scripts/fit-estimator.mjs            prints the tables
 *   npm run build && node scripts/fit-estimator.mjs --write    and writes the weights
 *
 * The corpus is what the machine has: sources and locks under node_modules, headers, Python, Rust's documentation,
 * translations of system programs, and listings, dumps, diffs and logs made from them. Files are split by the folder
 * they come from, so that no package is on both sides; kinds marked `unseen` are never trained on at all. A kind that
 * is missing here is left out and named.
 *
 * Judged on samples of 8 KB, the size of a tool output.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { countPieces, KINDS, Scan } from "../dist/measure/pieces.js";

const SAMPLE_CHARS = 8192;
const SAMPLES_PER_KIND = 60;
const ROOT = join(import.meta.dirname, "..");
/** In pieces, where a kind of text is a million tokens. */
const PULL = 300;
const WINDOW_CHARS = 2048;

const NODE = join(ROOT, "node_modules");
const PYTHON = newest("/root/.pyenv/versions", /^3\./, "lib") ?? "/usr/lib/python3";
const RUST = newest("/root/.rustup/toolchains", /./, "share/doc/rust/html") ?? "/usr/share/doc/rust/html";
const LOCALES = "/usr/share/locale";

let ALL_PATHS;
/** Words for the texts made here: those of this project's own sources. */
const WORDS = [...new Set((safely(() => walk(join(ROOT, "src"), /\.ts$/).map((path) => readFileSync(path, "utf8")).join(" ")) ?? "").match(/[A-Za-z]{3,}/g))];

/** name → { train, held }: texts of that kind. `unseen` kinds have no training texts. */
const kinds = {
  "typescript source": files(NODE, /\.(ts|mts|cts)$/, { not: /\.d\.[mc]?ts$/, also: [join(ROOT, "src"), join(ROOT, "test")] }),
  "type declarations": files(NODE, /\.d\.[mc]?ts$/),
  javascript: files(NODE, /\.(js|mjs|cjs)$/, { not: /min\.js|\.map$/, test: (text) => longestLine(text) < 400 }),
  "minified javascript": files(NODE, /\.(js|mjs|cjs)$/, { test: (text) => text.length > 4000 && text.length / lines(text) > 300 }),
  python: files(PYTHON, /\.py$/),
  "c headers": files("/usr/include", /\.h(pp)?$/),
  perl: files("/usr/share/perl", /\.p[lm]$/),
  shell: files("/usr/share", /\.sh$/),
  html: files(RUST, /\.html$/),
  css: files(RUST, /\.css$/, { also: [NODE, "/usr/share"] }),
  markdown: files(NODE, /\.md$/i),
  "licences and manuals": files("/usr/share/doc", /(copyright|README|NEWS|AUTHORS)[^/]*$/),
  "package.json and other json": files(NODE, /\.json$/, { not: /lock/ }),
  "json on one line": map(files(NODE, /\.json$/, { not: /lock/ }), minifyJson),
  "source inside json": map(files(NODE, /\.(ts|js)$/), (text) => JSON.stringify({ file_path: "/w/a.ts", content: text })),
  "numbered lines": map(files(PYTHON, /\.py$/), (text) => text.split("\n").map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join("\n")),
  lockfiles: made((seed) => lockfile(seed)),
  "ls -laR": listings(),
  "find": made((seed) => paths(seed).join("\n")),
  "csv of numbers": made((seed) => csv(seed, numberCell)),
  "csv of words": made((seed) => csv(seed, wordCell)),
  "hex dump": made((seed) => hexDump(bytes(seed, SAMPLE_CHARS / 4))),
  base64: made((seed) => bytes(seed, 6144).toString("base64")),
  hashes: made((seed) => Array.from({ length: 120 }, (_, at) => `${sha(`${seed}${at}`)}  ${paths(seed)[at] ?? "a"}`).join("\n")),
  "server log": made((seed) => serverLog(seed)),
  "dpkg log": wholeFiles("/var/log", /\.log$/),
  "unified diff": diffs(),
  "stack traces": made((seed) => traces(seed)),
  "test run": made((seed) => testRun(seed)),
  "chinese": messages(["zh_CN", "zh_TW"]),
  "japanese": messages(["ja"]),
  "korean": messages(["ko"]),
  "russian, ukrainian, greek": messages(["ru", "uk", "el", "bg"]),
  "german, french, polish": messages(["de", "fr", "pl", "es", "cs", "tr", "vi"]),
  "arabic, hebrew": messages(["ar", "he", "fa"]),
  "hindi, thai": messages(["hi", "th", "bn", "ta"]),
  "letters at random": made((seed) => pick(seed, "abcdefghijklmnopqrstuvwxyz", 4096)),
  "one letter": pathological(made((seed) => nth("aexbtzksnoAXZqmir", seed).repeat(8192))),
  "one sign": pathological(made((seed) => nth("=-*#_./+~!\"'(", seed).repeat(8192))),
  "only spaces": pathological(made((seed) => " ".repeat(8192 - Number(seed.slice(5))))),
  "signs at random": made((seed) => pick(seed, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 4096)),
  "tables with rules": made((seed) => table(seed)),
  "emoji and signs": made((seed) => emoji(seed)),
  "ps aux": unseen(made(() => run("ps", ["auxww"]) ?? "")),
  "grep -rn": unseen(made((seed) => grep(seed))),
  svg: unseen(files("/usr/share", /\.svg$/)),
  "npm debug log": unseen(wholeFiles("/root/.npm/_logs", /\.log$/)),
  rust: unseen(files("/root/.cargo", /\.rs$/, { also: ["/root/.rustup"] })),
  java: unseen(files("/usr/share", /\.java$/)),
  yaml: unseen(files("/", /\.ya?ml$/, { also: ["/usr/share", NODE] })),
  "git log": unseen(made(() => run("git", ["-C", ROOT, "log", "--stat", "-p", "-3"]) ?? "")),
};

const train = [];
const held = [];
for (const [kind, { train: seen, held: kept }] of Object.entries(kinds)) {
  if (kept.length === 0) console.log(`left out, nothing of the kind on this machine: ${kind}`);
  train.push(...samples(kind, seen));
  held.push(...samples(kind, kept));
}
console.log(`${train.length} samples to fit, ${held.length} held out`);
const weights = fit(train);
report("fitted on", train.filter(({ kind }) => !kinds[kind].isPathological), weights);
report("held out", held.filter(({ kind }) => !kinds[kind].isPathological), weights);
report("held out, pathological", held.filter(({ kind }) => kinds[kind].isPathological), weights);
if (process.argv.includes("--write")) writeWeights(weights);

// Fitting

/**
 * Every token is given to the piece it begins in; a weight is then what its kind of piece gets on average, where
 * pieces with several marks (a long word with rare letters) share by least squares. Each kind of text weighs the same.
 */
function fit(rows) {
  const gram = Array.from({ length: KINDS }, () => new Float64Array(KINDS));
  const right = new Float64Array(KINDS);
  const tokensOfKind = new Map();
  for (const { kind, tokens } of rows) tokensOfKind.set(kind, (tokensOfKind.get(kind) ?? 0) + tokens);
  for (const { kind, text } of rows) {
    const weight = 1e6 / tokensOfKind.get(kind);
    for (const { counts, tokens } of piecesOf(text)) {
      for (const [at, count] of counts) {
        right[at] += weight * count * tokens;
        for (const [other, times] of counts) gram[at][other] += weight * count * times;
      }
    }
  }
  const perPiece = descend(gram, right, { prior: priorWeights(), pull: () => PULL });
  return adjust(rows.filter(({ kind }) => !kinds[kind].isPathological), perPiece);
}

/**
 * Words are rarer in some texts than in others, and no count of letters shows it. So the weights are moved a little,
 * to where whole samples come out right: an error of 5 % of a sample weighs as much as a weight moved by a tenth.
 */
function adjust(rows, prior) {
  const gram = Array.from({ length: KINDS }, () => new Float64Array(KINDS));
  const right = new Float64Array(KINDS);
  const samplesOfKind = new Map();
  for (const { kind } of rows) samplesOfKind.set(kind, (samplesOfKind.get(kind) ?? 0) + 1);
  for (const { kind, counts, tokens } of rows) {
    const weight = 20 / samplesOfKind.get(kind) / 0.05 ** 2;
    const places = [...counts.keys()].filter((at) => counts[at] > 0);
    for (const at of places) {
      right[at] += (weight * counts[at]) / tokens;
      for (const other of places) gram[at][other] += (weight * counts[at] * counts[other]) / tokens ** 2;
    }
  }
  return descend(gram, right, { prior, pull: (at) => 1 / (0.1 * Math.max(prior[at], 0.02)) ** 2 });
}

/** The pieces of a text with the tokens that begin in each. */
function piecesOf(text) {
  const starts = tokenStarts(text);
  const scan = new Scan(text);
  const pieces = [];
  const before = new Float64Array(KINDS);
  let from = 0;
  while (scan.at < text.length) {
    scan.countNext();
    const counts = [];
    for (let at = 0; at < KINDS; at += 1)
      if (scan.counts[at] !== before[at]) counts.push([at, scan.counts[at] - before[at]]);
    // What adds nothing (a space, a lone sign) belongs to the word behind it; so does the last space of a run.
    if (counts.length === 0 && scan.at < text.length) continue;
    const end = /[ \t]/.test(text[scan.at - 1]) && scan.at < text.length && !/[0-9]/.test(text[scan.at]) ? scan.at - 1 : scan.at;
    let tokens = 0;
    for (let at = from; at < end; at += 1) tokens += starts[at];
    pieces.push({ counts, tokens });
    before.set(scan.counts);
    from = end;
  }
  return pieces;
}

/** For each UTF-16 unit, how many tokens begin in it. */
function tokenStarts(text) {
  const starts = new Uint8Array(text.length);
  for (let from = 0; from < text.length; from += WINDOW_CHARS) {
    const window = text.slice(from, from + WINDOW_CHARS);
    const unitOfByte = [];
    let unit = 0;
    for (const char of window) {
      for (let count = Buffer.byteLength(char); count > 0; count -= 1) unitOfByte.push(unit);
      unit += char.length;
    }
    let byte = 0;
    for (const token of encode(window, { disallowedSpecial: new Set() })) {
      starts[from + (unitOfByte[byte] ?? 0)] += 1;
      const spelled = ranks[token];
      byte += typeof spelled === "string" ? Buffer.byteLength(spelled) : spelled.length;
    }
  }
  return starts;
}

/** For kinds of piece the corpus has too few of: one piece is one token, and a long one more. */
function priorWeights() {
  const prior = new Float64Array(KINDS).fill(1);
  for (let row = 0; row < 15; row += 1)
    for (let length = 1; length <= 12; length += 1) prior[row * 12 + length - 1] = row > 8 ? 0.7 + length / 3 : 0.9 + length / 15;
  for (let length = 1; length <= 8; length += 1) prior[179 + length] = prior[187 + length] = 0.8 + length / 6;
  for (const [at, weight] of [[0, 0.3], [1, 0.3], [2, 0.2], [3, 0.125], [4, 0.5], [9, 0.01], [11, 0], [12, 0.03], [13, 0.5]]) prior[196 + at] = weight;
  for (let script = 0; script < 9; script += 1) prior[210 + script] = 0.3;
  return prior;
}

/** Least squares by coordinates: no weight below zero, each pulled towards its prior as by a few pieces. */
function descend(gram, right, { prior, pull }) {
  const found = Float64Array.from(prior);
  for (let round = 0; round < 2000; round += 1) {
    let moved = 0;
    for (let at = 0; at < KINDS; at += 1) {
      let slope = right[at] - pull(at) * (found[at] - prior[at]);
      for (let other = 0; other < KINDS; other += 1) slope -= gram[at][other] * found[other];
      const next = Math.max(0, found[at] + slope / (gram[at][at] + pull(at)));
      moved = Math.max(moved, Math.abs(next - found[at]));
      found[at] = next;
    }
    if (moved < 1e-6) break;
  }
  return found;
}

function report(title, rows, found) {
  const totals = new Map();
  for (const { kind, counts, tokens, chars } of rows) {
    const sum = totals.get(kind) ?? { tokens: 0, estimate: 0, chars: 0 };
    sum.tokens += tokens;
    sum.chars += chars;
    sum.estimate += counts.reduce((total, count, at) => total + count * found[at], 0);
    totals.set(kind, sum);
  }
  console.log(`\n${title}`);
  const errors = [];
  const ofSamples = rows.map(({ counts, tokens }) => Math.abs(counts.reduce((sum, count, at) => sum + count * found[at], 0) / tokens - 1));
  for (const [kind, { tokens, estimate, chars }] of totals) {
    const error = estimate / tokens - 1;
    errors.push(Math.abs(error));
    const mark = kinds[kind].train.length === 0 ? " (kind never trained on)" : "";
    console.log(`  ${(kind + mark).padEnd(44)} ${(chars / tokens).toFixed(2)} chars/token  ${percent(error)}`);
  }
  const mean = errors.reduce((a, b) => a + b, 0) / errors.length;
  console.log(`  mean ${percent(mean)}, worst ${percent(Math.max(...errors))}, over ${errors.length} kinds`);
  ofSamples.sort((a, b) => a - b);
  const quantile = (share) => percent(ofSamples[Math.floor(share * (ofSamples.length - 1))]);
  console.log(`  single samples of 8 KB: median ${quantile(0.5)}, p95 ${quantile(0.95)}, worst ${quantile(1)}`);
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`.padStart(8);
}

function writeWeights(found) {
  const values = [...found].map((value) => Number(value.toFixed(3)));
  const rows = [];
  const wordRows = 5 * 3;
  for (let row = 0; row < wordRows; row += 1) rows.push(values.slice(row * 12, row * 12 + 12));
  rows.push(values.slice(180, 188), values.slice(188, 196), values.slice(196, 210), values.slice(210, 219), values.slice(219));
  const file = join(ROOT, "src/measure/weights.ts");
  const text = readFileSync(file, "utf8");
  const body = rows.map((row) => `  ${row.join(", ")},`).join("\n");
  writeFileSync(file, text.replace(/(Float64Array\.of\(\n)[\s\S]*?(\);)/, (_, open, close) => `${open}${body}\n${close}`));
}

// Samples

function samples(kind, texts) {
  const found = [];
  for (const text of texts.slice(0, SAMPLES_PER_KIND)) {
    for (let at = 0; at < text.length && at < 4 * SAMPLE_CHARS; at += SAMPLE_CHARS) {
      const sample = text.slice(at, at + SAMPLE_CHARS);
      if (sample.length > 200) found.push({ kind, text: sample, counts: countPieces(sample), tokens: tokensOf(sample), chars: sample.length });
    }
  }
  return found;
}

function tokensOf(text) {
  let tokens = 0;
  for (let at = 0; at < text.length; at += WINDOW_CHARS)
    tokens += encode(text.slice(at, at + WINDOW_CHARS), { disallowedSpecial: new Set() }).length;
  return tokens;
}

// Texts: found on the machine

function files(folder, name, { not, also = [], test = () => true } = {}) {
  const found = [folder, ...also].flatMap((root) => walk(root, name, not));
  return split(found, (path) => {
    const text = readFileSync(path, "utf8");
    return text.length > 300 && !text.includes("\u0000") && test(text) ? text : undefined;
  });
}

/** By the folder a file lies in, so that no package is on both sides; short of files, one side gets none. */
function split(paths, load) {
  const sides = { train: [], held: [] };
  const byHash = [...new Set(paths)].sort((a, b) => (sha(a) < sha(b) ? -1 : 1));
  for (const path of byHash) {
    const side = sides[Number.parseInt(sha(groupOf(path)).slice(0, 2), 16) % 2 === 0 ? "train" : "held"];
    if (side.length >= SAMPLES_PER_KIND) continue;
    const text = load(path);
    if (text !== undefined) side.push(text);
  }
  return sides;
}

function groupOf(path) {
  if (path.endsWith(".mo")) return path.split("/").at(-1);
  const inside = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  return inside?.[1] ?? path.split("/").slice(0, -1).join("/");
}

function walk(root, name, not) {
  const found = [];
  const visit = (folder, depth) => {
    if (found.length > 6000 || depth > 7) return;
    for (const entry of safely(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !/^(proc|sys|\.git|dist-tmp)$/.test(entry.name)) visit(path, depth + 1);
      else if (entry.isFile() && name.test(path) && !not?.test(path)) {
        if ((safely(() => statSync(path).size) ?? 0) > 300) found.push(path);
      }
    }
  };
  if (existsSync(root)) visit(root, 0);
  return found;
}

function wholeFiles(folder, name) {
  const texts = walk(folder, name).map((path) => safely(() => readFileSync(path, "utf8")) ?? "");
  const all = texts.filter((text) => text.length > 300).flatMap((text) => chunks(text));
  return { train: all.filter((_, at) => at % 2 === 0), held: all.filter((_, at) => at % 2 === 1) };
}

/** Translated messages of system programs: half of the programs to fit, half held out. */
function messages(languages) {
  const paths = languages.flatMap((language) => walk(join(LOCALES, language), /\.mo$/, /iso_/));
  return split(paths.map((path) => path), (path) => {
    const text = catalogue(readFileSync(path));
    return text.length > 500 ? text : undefined;
  });
}

function catalogue(file) {
  if (file.length < 28 || file.readUInt32LE(0) !== 0x950412de) return "";
  const [count, table] = [file.readUInt32LE(8), file.readUInt32LE(16)];
  const found = [];
  for (let at = 0; at < count; at += 1) {
    const [length, offset] = [file.readUInt32LE(table + at * 8), file.readUInt32LE(table + at * 8 + 4)];
    found.push(file.toString("utf8", offset, offset + length).replaceAll("\u0000", "\n"));
  }
  return found.slice(1).join("\n");
}

function listings() {
  const sides = { train: [], held: [] };
  for (const [side, folder] of [["train", "/usr/lib"], ["held", NODE]])
    sides[side].push(...chunks((run("ls", ["-laR", folder]) ?? "").slice(0, 800_000)).filter((_, at) => at % 2 === 0));
  return sides;
}

function diffs() {
  const texts = map(files(PYTHON, /\.py$/), (text) => text.slice(0, 6000));
  const change = (text, at) => {
    const other = text.split("\n").map((line, index) => ((index + at) % 9 === 0 ? `${line}  # changed` : line));
    return unified(text.split("\n"), other);
  };
  return { train: texts.train.map(change), held: texts.held.map(change) };
}

function unified(before, after) {
  const out = ["--- a/lib/module.py", "+++ b/lib/module.py"];
  for (let at = 0; at < before.length; at += 12) {
    out.push(`@@ -${at + 1},12 +${at + 1},12 @@ ${before[at]?.slice(0, 40) ?? ""}`);
    for (let line = at; line < Math.min(before.length, at + 12); line += 1) {
      if (before[line] === after[line]) out.push(` ${before[line]}`);
      else out.push(`-${before[line]}`, `+${after[line]}`);
    }
  }
  return out.join("\n");
}

// Texts: made here, from a seed, so that a second run makes the same ones

function made(make) {
  const sides = { train: [], held: [] };
  for (let at = 0; at < 40; at += 1) (at % 2 === 0 ? sides.train : sides.held).push(make(`seed ${at}`));
  return sides;
}

/** Both sides get the same letters: what one letter costs says nothing of another, only their mean can be fitted. */
function nth(letters, seed) {
  return letters[Math.floor(Number(seed.slice(5)) / 2) % letters.length];
}

function unseen(sides) {
  return { train: [], held: [...sides.held, ...sides.train] };
}

/** Fitted piece by piece, and told apart: a letter costs a token for two or for eight, and only the mean is known. */
function pathological(sides) {
  return { ...sides, isPathological: true };
}

function map(sides, change) {
  const all = (texts) => texts.map((text) => safely(() => change(text))).filter((text) => text !== undefined);
  return { train: all(sides.train), held: all(sides.held) };
}

function minifyJson(text) {
  return JSON.stringify(JSON.parse(text));
}

function sha(text) {
  return createHash("sha256").update(text).digest("hex");
}

function bytes(seed, count) {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) => createHash("sha256").update(`${seed}${at}`).digest());
  return Buffer.concat(blocks).subarray(0, count);
}

function dice(seed) {
  const source = bytes(seed, 32768);
  let at = 0;
  return (below) => source.readUInt32LE((at = (at + 4) % 32760)) % below;
}

function pick(seed, letters, count) {
  const roll = dice(seed);
  return Array.from({ length: count }, () => letters[roll(letters.length)]).join("");
}

function hexDump(data) {
  const rows = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = data.subarray(at, at + 16);
    const hex = row.toString("hex").replace(/(....)/g, "$1 ");
    const shown = [...row].map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    rows.push(`${at.toString(16).padStart(8, "0")}: ${hex} ${shown}`);
  }
  return rows.join("\n");
}

function csv(seed, cell) {
  const roll = dice(seed);
  return Array.from({ length: 160 }, (_, row) => [row, ...Array.from({ length: 6 }, () => cell(roll))].join(",")).join("\n");
}

function numberCell(roll) {
  return roll(3) === 0 ? roll(100_000) : (roll(10_000_000) / 10 ** (1 + roll(5))).toString();
}

function wordCell(roll) {
  const words = WORDS;
  return [words[roll(words.length)], `"${words[roll(words.length)]} ${words[roll(words.length)]}"`, roll(1000), `2026-0${1 + roll(9)}-1${roll(9)}`][roll(4)];
}

function lockfile(seed) {
  const roll = dice(seed);
  const packages = {};
  for (let at = 0; at < 24; at += 1) {
    const name = `${WORDS[roll(WORDS.length)]}-${WORDS[roll(WORDS.length)]}`.toLowerCase();
    const version = `${roll(12)}.${roll(30)}.${roll(20)}`;
    packages[`node_modules/${name}`] = {
      version,
      resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
      integrity: `sha512-${bytes(seed + at, 64).toString("base64")}`,
      license: "MIT",
      engines: { node: `>=${roll(20)}` },
      dependencies: { [WORDS[roll(WORDS.length)]]: `^${roll(9)}.${roll(9)}.0` },
    };
  }
  return JSON.stringify({ lockfileVersion: 3, packages }, null, 2);
}

function serverLog(seed) {
  const roll = dice(seed);
  const level = ["INFO", "WARN", "ERROR", "DEBUG"];
  return Array.from({ length: 70 }, (_, at) => {
    const time = new Date(1.77e12 + at * 1733 + roll(900)).toISOString();
    const word = () => WORDS[roll(WORDS.length)];
    return [
      `${time} ${level[roll(4)]} [${word()}.${word()}] ${word()} ${word()} id=${sha(seed + at).slice(0, 12)} took ${roll(900)}ms`,
      `10.${roll(255)}.${roll(255)}.${roll(255)} - - [18/Nov/2026:07:${10 + roll(49)}:${10 + roll(49)} +0000] "GET /api/v1/${word()}/${roll(99999)} HTTP/1.1" 200 ${roll(99999)}`,
      `[${roll(99999)}.${String(roll(999999)).padStart(6, "0")}] ${word()}: ${word()} ${word()} at 0x${sha(seed + at).slice(0, 16)}`,
    ][roll(3)];
  }).join("\n");
}

function traces(seed) {
  const roll = dice(seed);
  const found = paths(seed);
  return Array.from({ length: 12 }, () => {
    const frames = Array.from({ length: 8 }, () => `    at ${WORDS[roll(WORDS.length)]}.${WORDS[roll(WORDS.length)]} (${found[roll(found.length)]}:${roll(900)}:${roll(80)})`);
    return [`TypeError: Cannot read properties of undefined (reading '${WORDS[roll(WORDS.length)]}')`, ...frames].join("\n");
  }).join("\n\n");
}

function testRun(seed) {
  const roll = dice(seed);
  return paths(seed).slice(0, 90).map((path) => [` ✓ ${path} (${roll(40)} tests) ${roll(900)}ms`, `--- PASS: Test${WORDS[roll(WORDS.length)]}_${WORDS[roll(WORDS.length)]} (0.${roll(99)}s)`, `FAIL ${path} > ${WORDS[roll(WORDS.length)]} ${WORDS[roll(WORDS.length)]}`][roll(3)]).join("\n");
}

function table(seed) {
  const roll = dice(seed);
  const cell = () => WORDS[roll(WORDS.length)].slice(0, 16).padEnd(18);
  const rule = `+${"-".repeat(20)}+${"-".repeat(20)}+${"-".repeat(20)}+`;
  return Array.from({ length: 50 }, (_, at) => (at % 8 === 0 ? [rule, "=".repeat(40 + roll(40)), `│ ${cell()} │ ${cell()} │`][roll(3)] : `| ${cell()} | ${cell()} | ${String(roll(99999)).padStart(18)} |`)).join("\n");
}

function emoji(seed) {
  const roll = dice(seed);
  const marks = ["✓", "✗", "→", "—", "…", "“", "”", "•", "⚠️", "🚀", "✅", "❌", "🔧", "📦", "😀", "👍🏽", "│", "├──", "└──", "═══", "·", "€", "×", "≤"];
  return Array.from({ length: 400 }, () => `${marks[roll(marks.length)]}${roll(2) ? " " : ""}${WORDS[roll(WORDS.length)]}${roll(6) ? " " : "\n"}`).join("");
}

function grep(seed) {
  const roll = dice(seed);
  return paths(seed).slice(0, 60).flatMap((path) => {
    const text = safely(() => readFileSync(join(NODE, path), "utf8").split("\n")) ?? [];
    return Array.from({ length: 2 }, () => { const at = roll(Math.max(1, text.length)); return `${path}:${at + 1}:${text[at]?.slice(0, 160) ?? ""}`; });
  }).join("\n");
}

function paths(seed) {
  ALL_PATHS ??= walk(NODE, /\.(js|ts|json|md)$/).map((path) => path.slice(NODE.length + 1));
  const roll = dice(`${seed}paths`);
  return Array.from({ length: 150 }, () => ALL_PATHS[roll(ALL_PATHS.length)] ?? "a.ts");
}

function chunks(text) {
  return Array.from({ length: Math.ceil(text.length / SAMPLE_CHARS) }, (_, at) => text.slice(at * SAMPLE_CHARS, (at + 1) * SAMPLE_CHARS));
}

function lines(text) {
  return text.split("\n").length;
}

function longestLine(text) {
  return Math.max(...text.slice(0, 50_000).split("\n").map((line) => line.length));
}

function newest(folder, name, below) {
  const found = (safely(() => readdirSync(folder)) ?? []).filter((entry) => name.test(entry)).sort();
  const last = found.at(-1);
  return last === undefined ? undefined : join(folder, last, below);
}

function run(command, args) {
  return safely(() => execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

function safely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
