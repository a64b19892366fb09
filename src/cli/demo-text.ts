/** The demonstration as one screen: forty-odd lines at a hundred columns, from what was there to the proof. */
import { createHash } from "node:crypto";
import type { Original } from "../store/store.ts";
import { shorten, shortenMiddle } from "../transcript/describe.ts";
import type { Part } from "../transcript/message.ts";
import { textIn } from "../transcript/part-text.ts";
import { wireTitle } from "../wire/wires.ts";
import { refRows } from "./compact-report.ts";
import { kindChanges, sizesLine } from "./compact-rows.ts";
import type { Done } from "./compact-session.ts";
import { kindLines, refLines, survivorLines } from "./compact-text.ts";
import { type Colors, colorsFor, type Io } from "./io.ts";
import { block, count, percent, plural } from "./table.ts";

export interface Demonstration {
  readonly once: Done;
  readonly again: Done;
  /** One ref, read back from the store. */
  readonly read: { readonly original: Original; readonly part: Part } | undefined;
  readonly readBackOnce: number;
  readonly readBackAgain: number;
  readonly restored: { readonly bytes: number; readonly sha256: string; readonly original: string };
}

const REFS = 5;
const KINDS = 8;
const READ_LINES = 3;

export function demoText(shown: Demonstration, io: Io): string {
  const colors = colorsFor(io);
  const { once } = shown;
  return [
    ...headLines(once, colors),
    ...block(
      "What filled it, and what is left",
      kindLines(kindChanges(once).slice(0, KINDS), colors),
      colors.bold,
    ),
    ...block("What survived, and why", survivorLines(once, io), colors.bold),
    ...block(
      `What became refs: ${count(refRows(once).length)}`,
      refLines(refRows(once), io, REFS),
      colors.bold,
    ),
    ...block("One of them, read back", readLines(shown, io), colors.bold),
    ...block(
      `Nine more compactions, in a window of ${count(shown.again.windowTokens)} that keeps filling`,
      againLines(shown),
      colors.bold,
    ),
    ...block("The session file, restored", proofLines(shown, colors), colors.bold),
    "",
  ].join("\n");
}

function headLines(once: Done, colors: Colors): readonly string[] {
  const { given, windowTokens, tokensBefore, tokensAfter, outcomes, elapsedMs } = once;
  const share = (tokens: number) => percent(tokens / windowTokens);
  const model = given.session.seen.model;
  const title = [wireTitle(given.session.wire), ...(model === undefined ? [] : [shorten(model)]), given.name];
  const [outcome] = outcomes;
  return [
    colors.bold(title.join(" · ")),
    sizesLine(once),
    outcome?.kind === "unchanged"
      ? `nothing was done: ${outcome.detail}`
      : `${share(tokensBefore)} → ${share(tokensAfter)} of a window of ${count(windowTokens)}; in ${count(elapsedMs)} ms, without a model`,
  ];
}

function readLines({ read }: Demonstration, io: Io): readonly string[] {
  if (!read) return [];
  const colors = colorsFor(io);
  const text = textIn(read.part);
  const lines = text.split("\n");
  const some = lines.filter((line) => line.trim() !== "").slice(0, READ_LINES);
  const [was, is] = [sha256(textIn(read.original.part)), sha256(text)];
  return [
    `${colors.cyan(`palimpsest ref ${read.original.ref}`)}  ${shortenMiddle(read.original.description, io.columns - 38)}`,
    ...some.map((line) => colors.dim(`│ ${shorten(line, io.columns - 6)}`)),
    `${plural(lines.length, "line")}, ${count(Buffer.byteLength(text))} bytes; SHA-256 was ${was.slice(0, 12)}…, is ${is.slice(0, 12)}… ${mark(was === is, colors)}`,
  ];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function againLines({ again, once, readBackOnce, readBackAgain }: Demonstration): readonly string[] {
  const sizes = again.compactions.map(
    ({ tokensBefore, tokensAfter }) => `${kilo(tokensBefore)}→${kilo(tokensAfter)}`,
  );
  const made = once.compactions.length + again.compactions.length;
  const left = readBackOnce + readBackAgain;
  return [
    sizes.join("  "),
    `${plural(made, "compaction")} in all. ${plural(left, "part")} left the context; every one was read back byte for byte.`,
  ];
}

function kilo(tokens: number): string {
  return `${Math.round(tokens / 1000)}k`;
}

function proofLines({ restored }: Demonstration, colors: Colors): readonly string[] {
  const { bytes, sha256, original } = restored;
  return [
    `was SHA-256 ${original}, ${count(bytes)} bytes`,
    `is  SHA-256 ${sha256} ${mark(sha256 === original, colors)}`,
  ];
}

function mark(isTrue: boolean, colors: Colors): string {
  return isTrue ? colors.green("✓") : colors.red("✗ it is not");
}
