/**
 * The texts the estimator is fitted on and judged by: see `fit-estimator.mjs`. Each kind has texts to fit (`train`) and
 * texts held out (`held`); what is made here is made from a seed, so that a second run makes the same.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export const ROOT = join(import.meta.dirname, "..");
export const SAMPLE_CHARS = 8192;
export const SAMPLES_PER_KIND = 60;

const NODE = join(ROOT, "node_modules");
const PYTHON = newest("/root/.pyenv/versions", /^3\./, "lib") ?? "/usr/lib/python3";
const RUST = newest("/root/.rustup/toolchains", /./, "share/doc/rust/html") ?? "/usr/share/doc/rust/html";
const LOCALES = "/usr/share/locale";

let ALL_PATHS;
/** Words for the texts made here: those of this project's own sources. */
const WORDS = [
  ...new Set(
    (
      safely(() =>
        walk(join(ROOT, "src"), /\.ts$/)
          .map((path) => readFileSync(path, "utf8"))
          .join(" "),
      ) ?? ""
    ).match(/[A-Za-z]{3,}/g),
  ),
];

/** name → { train, held }: texts of that kind. `unseen` kinds have no training texts. */
export const kinds = {
  "typescript source": files(NODE, /\.(ts|mts|cts)$/, {
    not: /\.d\.[mc]?ts$/,
    also: [join(ROOT, "src"), join(ROOT, "test")],
  }),
  "type declarations": files(NODE, /\.d\.[mc]?ts$/),
  javascript: files(NODE, /\.(js|mjs|cjs)$/, {
    not: /min\.js|\.map$/,
    test: (text) => longestLine(text) < 400,
  }),
  "minified javascript": files(NODE, /\.(js|mjs|cjs)$/, {
    test: (text) => text.length > 4000 && text.length / lines(text) > 300,
  }),
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
  "source inside json": map(files(NODE, /\.(ts|js)$/), (text) =>
    JSON.stringify({ file_path: "/w/a.ts", content: text }),
  ),
  "numbered lines": map(files(PYTHON, /\.py$/), (text) =>
    text
      .split("\n")
      .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
      .join("\n"),
  ),
  lockfiles: made((seed) => lockfile(seed)),
  "ls -laR": listings(),
  find: made((seed) => paths(seed).join("\n")),
  "csv of numbers": made((seed) => csv(seed, numberCell)),
  "csv of words": made((seed) => csv(seed, wordCell)),
  "hex dump": made((seed) => hexDump(bytes(seed, SAMPLE_CHARS / 4))),
  base64: made((seed) => bytes(seed, 6144).toString("base64")),
  hashes: made((seed) =>
    Array.from({ length: 120 }, (_, at) => `${sha(`${seed}${at}`)}  ${paths(seed)[at] ?? "a"}`).join("\n"),
  ),
  "server log": made((seed) => serverLog(seed)),
  "dpkg log": wholeFiles("/var/log", /\.log$/),
  "unified diff": diffs(),
  "stack traces": made((seed) => traces(seed)),
  "test run": made((seed) => testRun(seed)),
  chinese: messages(["zh_CN", "zh_TW"]),
  japanese: messages(["ja"]),
  korean: messages(["ko"]),
  "russian, ukrainian": messages(["ru", "uk", "bg"]),
  greek: messages(["el"]),
  "chinese and japanese manuals": manuals(["zh_CN", "zh_TW", "ja"]),
  "russian and ukrainian manuals": manuals(["ru", "uk"]),
  "german, french, spanish manuals": manuals(["de", "fr", "es", "pl"]),
  "german, french, polish": messages(["de", "fr", "pl", "es", "cs", "tr", "vi"]),
  "arabic, hebrew": messages(["ar", "he", "fa"]),
  "hindi, thai": messages(["hi", "th", "bn", "ta"]),
  "letters at random": made((seed) => pick(seed, "abcdefghijklmnopqrstuvwxyz", 4096)),
  "one letter": pathological(made((seed) => nth("aexbtzksnoAXZqmir", seed).repeat(8192))),
  "one sign": pathological(made((seed) => nth("=-*#_./+~!\"'(", seed).repeat(8192))),
  "only spaces": pathological(made((seed) => " ".repeat(8192 - Number(seed.slice(5))))),
  "signs at random": made((seed) => pick(seed, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 4096)),
  "tables with rules": made((seed) => table(seed)),
  "terminal output": made((seed) => terminal(seed)),
  "emoji and signs": made((seed) => emoji(seed)),
  "only emoji": pathological(made((seed) => pick(seed, [..."😀😎🚀🔧📦🎉💡🔥👀🤖✨🧪🐛👍🙏🌍"], 600))),
  "ps aux": unseen(made(() => run("ps", ["auxww"]) ?? "")),
  "grep -rn": unseen(made((seed) => grep(seed))),
  svg: unseen(files("/usr/share", /\.svg$/)),
  "npm debug log": unseen(wholeFiles("/root/.npm/_logs", /\.log$/)),
  rust: unseen(files("/root/.cargo", /\.rs$/, { also: ["/root/.rustup"] })),
  java: unseen(files("/usr/share", /\.java$/)),
  yaml: unseen(files("/", /\.ya?ml$/, { also: ["/usr/share", NODE] })),
  "git log": unseen(made(() => run("git", ["-C", ROOT, "log", "--stat", "-p", "-3"]) ?? "")),
};

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
  if (/\.(mo|gz)$/.test(path)) return path.split("/").at(-1);
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
  return split(
    paths.map((path) => path),
    (path) => {
      const text = catalogue(readFileSync(path));
      return text.length > 500 ? text : undefined;
    },
  );
}

/** Manual pages, without the marks of the formatter: prose, where messages are phrases. */
function manuals(languages) {
  const paths = languages.flatMap((language) => walk(`/usr/share/man/${language}`, /\.gz$/));
  return split(paths, (path) => {
    const text = gunzipSync(readFileSync(path)).toString("utf8");
    const prose = text.replace(/^['.].*\n/gm, "").replace(/\\f[A-Z]|\\/g, "");
    return prose.length > 1000 ? prose : undefined;
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
  for (const [side, folder] of [
    ["train", "/usr/lib"],
    ["held", NODE],
  ])
    sides[side].push(
      ...chunks((run("ls", ["-laR", folder]) ?? "").slice(0, 800_000)).filter((_, at) => at % 2 === 0),
    );
  return sides;
}

function diffs() {
  const texts = map(files(PYTHON, /\.py$/), (text) => text.slice(0, 6000));
  const change = (text, at) => {
    const other = text
      .split("\n")
      .map((line, index) => ((index + at) % 9 === 0 ? `${line}  # changed` : line));
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
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) =>
    createHash("sha256").update(`${seed}${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, count);
}

function dice(seed) {
  const source = bytes(seed, 32768);
  let at = 0;
  return (below) => {
    at = (at + 4) % 32760;
    return source.readUInt32LE(at) % below;
  };
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
    const shown = [...row]
      .map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "."))
      .join("");
    rows.push(`${at.toString(16).padStart(8, "0")}: ${hex} ${shown}`);
  }
  return rows.join("\n");
}

function csv(seed, cell) {
  const roll = dice(seed);
  return Array.from({ length: 160 }, (_, row) =>
    [row, ...Array.from({ length: 6 }, () => cell(roll))].join(","),
  ).join("\n");
}

function numberCell(roll) {
  return roll(3) === 0 ? roll(100_000) : (roll(10_000_000) / 10 ** (1 + roll(5))).toString();
}

function wordCell(roll) {
  const words = WORDS;
  return [
    words[roll(words.length)],
    `"${words[roll(words.length)]} ${words[roll(words.length)]}"`,
    roll(1000),
    `2026-0${1 + roll(9)}-1${roll(9)}`,
  ][roll(4)];
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
    const frames = Array.from(
      { length: 8 },
      () =>
        `    at ${WORDS[roll(WORDS.length)]}.${WORDS[roll(WORDS.length)]} (${found[roll(found.length)]}:${roll(900)}:${roll(80)})`,
    );
    return [
      `TypeError: Cannot read properties of undefined (reading '${WORDS[roll(WORDS.length)]}')`,
      ...frames,
    ].join("\n");
  }).join("\n\n");
}

function testRun(seed) {
  const roll = dice(seed);
  return paths(seed)
    .slice(0, 90)
    .map(
      (path) =>
        [
          ` ✓ ${path} (${roll(40)} tests) ${roll(900)}ms`,
          `--- PASS: Test${WORDS[roll(WORDS.length)]}_${WORDS[roll(WORDS.length)]} (0.${roll(99)}s)`,
          `FAIL ${path} > ${WORDS[roll(WORDS.length)]} ${WORDS[roll(WORDS.length)]}`,
        ][roll(3)],
    )
    .join("\n");
}

function table(seed) {
  const roll = dice(seed);
  const cell = () => WORDS[roll(WORDS.length)].slice(0, 16).padEnd(18);
  const rule = `+${"-".repeat(20)}+${"-".repeat(20)}+${"-".repeat(20)}+`;
  return Array.from({ length: 50 }, (_, at) =>
    at % 8 === 0
      ? [rule, "=".repeat(40 + roll(40)), `│ ${cell()} │ ${cell()} │`][roll(3)]
      : `| ${cell()} | ${cell()} | ${String(roll(99999)).padStart(18)} |`,
  ).join("\n");
}

/** Colours, spinners and rules, as programs write them that do not know their reader. */
function terminal(seed) {
  const roll = dice(seed);
  const word = () => WORDS[roll(WORDS.length)];
  const spinner = () => `${"-\\|/"[roll(4)]} ${word()}...${"\b".repeat(14)}`;
  return Array.from({ length: 60 }, () =>
    [
      () => `\u001b[${30 + roll(8)}m${word()}\u001b[0m ${word()} \u001b[1m${roll(999)}\u001b[22m\n`,
      () => `${Array.from({ length: 8 }, spinner).join("")}\n`,
      () => `${"─━═│"[roll(4)].repeat(20 + roll(100))}\n`,
      () => `\r\u001b[2K${word()} ${"█".repeat(roll(30))}${"░".repeat(roll(30))} ${roll(100)}%`,
      () => `  • ${word()} ${word()} ${word()}\n  └ ${word()}.${word()}\n`,
    ][roll(5)](),
  ).join("");
}

function emoji(seed) {
  const roll = dice(seed);
  const marks = [
    "✓",
    "✗",
    "→",
    "—",
    "…",
    "“",
    "”",
    "•",
    "⚠️",
    "🚀",
    "✅",
    "❌",
    "🔧",
    "📦",
    "😀",
    "👍🏽",
    "│",
    "├──",
    "└──",
    "═══",
    "·",
    "€",
    "×",
    "≤",
  ];
  return Array.from(
    { length: 400 },
    () =>
      `${marks[roll(marks.length)]}${roll(2) ? " " : ""}${WORDS[roll(WORDS.length)]}${roll(6) ? " " : "\n"}`,
  ).join("");
}

function grep(seed) {
  const roll = dice(seed);
  return paths(seed)
    .slice(0, 60)
    .flatMap((path) => {
      const text = safely(() => readFileSync(join(NODE, path), "utf8").split("\n")) ?? [];
      return Array.from({ length: 2 }, () => {
        const at = roll(Math.max(1, text.length));
        return `${path}:${at + 1}:${text[at]?.slice(0, 160) ?? ""}`;
      });
    })
    .join("\n");
}

function paths(seed) {
  ALL_PATHS ??= walk(NODE, /\.(js|ts|json|md)$/).map((path) => path.slice(NODE.length + 1));
  const roll = dice(`${seed}paths`);
  return Array.from({ length: 150 }, () => ALL_PATHS[roll(ALL_PATHS.length)] ?? "a.ts");
}

function chunks(text) {
  return Array.from({ length: Math.ceil(text.length / SAMPLE_CHARS) }, (_, at) =>
    text.slice(at * SAMPLE_CHARS, (at + 1) * SAMPLE_CHARS),
  );
}

function lines(text) {
  return text.split("\n").length;
}

function longestLine(text) {
  return Math.max(
    ...text
      .slice(0, 50_000)
      .split("\n")
      .map((line) => line.length),
  );
}

function newest(folder, name, below) {
  const found = (safely(() => readdirSync(folder)) ?? []).filter((entry) => name.test(entry)).sort();
  const last = found.at(-1);
  return last === undefined ? undefined : join(folder, last, below);
}

function run(command, args) {
  return safely(() =>
    execFileSync(command, args, {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
}

function safely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
