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
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { countPieces, KINDS } from "../dist/measure/pieces.js";
import { kinds, ROOT, SAMPLE_CHARS, SAMPLES_PER_KIND } from "./fit-corpus.mjs";

/** In pieces, where a kind of text is a million tokens. */
const PULL = 300;
const WINDOW_CHARS = 2048;

const train = [];
const held = [];
for (const [kind, { train: seen, held: kept }] of Object.entries(kinds)) {
  if (kept.length === 0) console.log(`left out, nothing of the kind on this machine: ${kind}`);
  train.push(...samples(kind, seen));
  held.push(...samples(kind, kept));
}
console.log(`${train.length} samples to fit, ${held.length} held out`);
const weights = fitWeights(train);
report(
  "fitted on",
  train.filter(({ kind }) => !kinds[kind].isPathological),
  weights,
);
report(
  "held out",
  held.filter(({ kind }) => !kinds[kind].isPathological),
  weights,
);
report(
  "held out, pathological",
  held.filter(({ kind }) => kinds[kind].isPathological),
  weights,
);
if (process.argv.includes("--write")) writeWeights(weights);

/**
 * Every token is given to the piece it begins in; a weight is then what its kind of piece gets on average, where
 * pieces with several marks (a long word with rare letters) share by least squares. Each kind of text weighs the same.
 */
function fitWeights(rows) {
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
  return adjust(
    rows.filter(({ kind }) => !kinds[kind].isPathological),
    perPiece,
  );
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
  // Emoji cost one token or three; what a few common ones cost in a sample must not speak for all.
  const isEmoji = (at) => at === 220 || at === 232;
  const pull = (at) => (isEmoji(at) ? 1e9 : 1 / (0.1 * Math.max(prior[at], 0.02)) ** 2);
  return descend(gram, right, { prior, pull });
}

/** The pieces of a text with the tokens that begin in each. */
function piecesOf(text) {
  const starts = tokenStarts(text);
  const pieces = [];
  const now = new Float64Array(KINDS);
  const before = new Float64Array(KINDS);
  let from = 0;
  countPieces(text, now, (at) => {
    const counts = [];
    for (let kind = 0; kind < KINDS; kind += 1)
      if (now[kind] !== before[kind]) counts.push([kind, now[kind] - before[kind]]);
    // What adds nothing (a space, a lone sign) belongs to the word behind it; so does the last space of a run.
    if (counts.length === 0 && at < text.length) return;
    const end = /[ \t]/.test(text[at - 1]) && at < text.length && !/[0-9]/.test(text[at]) ? at - 1 : at;
    let tokens = 0;
    for (let unit = from; unit < end; unit += 1) tokens += starts[unit];
    pieces.push({ counts, tokens });
    before.set(now);
    from = end;
  });
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
    for (let length = 1; length <= 12; length += 1)
      prior[row * 12 + length - 1] = row > 8 ? 0.7 + length / 3 : 0.9 + length / 15;
  for (let length = 1; length <= 8; length += 1) prior[179 + length] = prior[187 + length] = 0.8 + length / 6;
  for (const [at, weight] of [
    [0, 0.3],
    [1, 0.3],
    [2, 0.2],
    [3, 0.125],
    [4, 0.5],
    [9, 0.01],
    [11, 0],
    [12, 0.03],
    [13, 0.5],
  ])
    prior[196 + at] = weight;
  for (let script = 0; script < 12; script += 1) prior[210 + script] = 0.3;
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
  const ofSamples = rows.map(({ counts, tokens }) =>
    Math.abs(counts.reduce((sum, count, at) => sum + count * found[at], 0) / tokens - 1),
  );
  for (const [kind, { tokens, estimate, chars }] of totals) {
    const error = estimate / tokens - 1;
    errors.push(Math.abs(error));
    const mark = kinds[kind].train.length === 0 ? " (kind never trained on)" : "";
    console.log(
      `  ${(kind + mark).padEnd(44)} ${(chars / tokens).toFixed(2)} chars/token  ${percent(error)}`,
    );
  }
  const mean = errors.reduce((a, b) => a + b, 0) / errors.length;
  console.log(`  mean ${percent(mean)}, worst ${percent(Math.max(...errors))}, over ${errors.length} kinds`);
  ofSamples.sort((a, b) => a - b);
  const quantile = (share) => percent(ofSamples[Math.floor(share * (ofSamples.length - 1))]);
  console.log(
    `  single samples of 8 KB: median ${quantile(0.5)}, p95 ${quantile(0.95)}, worst ${quantile(1)}`,
  );
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`.padStart(8);
}

/** Rows as `weights.ts` describes them; the text around them stays. */
function writeWeights(found) {
  const values = [...found].map((value) => Number(value.toFixed(3)));
  const starts = [...Array.from({ length: 15 }, (_, row) => row * 12), 180, 188, 196, 210, 222, KINDS];
  const rows = starts.slice(0, -1).map((start, row) => `  ${values.slice(start, starts[row + 1]).join(" ")}`);
  const file = join(ROOT, "src/measure/weights.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/(ROWS = `\n)[^`]*/, (_, open) => `${open}${rows.join("\n")}\n`),
  );
}

function samples(kind, texts) {
  const found = [];
  for (const text of texts.slice(0, SAMPLES_PER_KIND)) {
    for (let at = 0; at < text.length && at < 4 * SAMPLE_CHARS; at += SAMPLE_CHARS) {
      const sample = text.slice(at, at + SAMPLE_CHARS);
      if (sample.length > 200)
        found.push({
          kind,
          text: sample,
          counts: countPieces(sample),
          tokens: tokensOf(sample),
          chars: sample.length,
        });
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
