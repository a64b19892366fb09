/** Commands with what came of them: the exit code, and the one or two lines in which a test run sums itself up. */
import type { SummaryLine } from "../../plan/summary.ts";
import { resultText, type ToolResultPart } from "../../transcript/message.ts";
import { lineOf, quoted } from "../line.ts";
import type { Deed, Story } from "../story.ts";
import { plainCommand } from "./errors.ts";

const MAX_COMMANDS = 30;
const TAIL_CHARS = 6000;
/** They change nothing and prove nothing; their output is behind a ref like any other. */
const IDLE =
  /^(?:git (?:status|diff|log|show|branch|fetch|rev-parse|ls-files|remote)|ls|pwd|echo|which|cat|head|tail|wc|sleep|true|cd|find|grep|rg|sed -n|ps|env|type|test|date|tree|stat|file|jq)\b/;
const SUMS_UP =
  /^\s*(?:#|ℹ) (?:tests|pass|fail) \d|\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|tests?|errors?|warnings?|problems?|skipped)\b|^\s*Ran \d+ tests?|^(?:FAILED|OK)\b|^\[[\w./-]+ (?:\(root-commit\) )?[0-9a-f]{7,}\]|\b(?:built|compiled|listening|created|pushed|merged|deployed|BUILD \w+)\b|^ok\s+\S/;

export function commandsIn(story: Story): readonly SummaryLine[] {
  const last = new Map<string, Deed>();
  for (const deed of story.deeds) {
    const command = deed.use.command === undefined ? "" : plainCommand(deed.use.command);
    const isIdle = IDLE.test(command) && deed.outcome.kind === "done";
    if (deed.use.does !== "run" || command === "" || isIdle) continue;
    const shown = quoted(command, 160);
    last.delete(shown);
    last.set(shown, deed);
  }
  return [...last.values()].slice(-MAX_COMMANDS).map((deed) => {
    const { text, about } = commandText(deed);
    return lineOf(text, [deed.result, deed.call], { about, maxRefs: 1 });
  });
}

/** The command and how it ended, and what later lines about the same command are known by. */
export function commandText(deed: Deed): { readonly text: string; readonly about?: string } {
  const shown = quoted(plainCommand(deed.use.command ?? ""), 160);
  const text = `${shown} → ${outcomeText(deed)}`;
  return shown.startsWith("`") ? { text, about: shown.slice(1, -1) } : { text };
}

function outcomeText({ outcome, result }: Deed): string {
  if (outcome.kind === "open") return "no result yet";
  if (outcome.kind === "denied") return "denied by the user";
  const sums = result ? sumsOf(result) : [];
  const code =
    outcome.exitCode === undefined ? (outcome.kind === "done" ? "ok" : "failed") : `exit ${outcome.exitCode}`;
  return [code, ...sums.map((line) => quoted(line.trim(), 120))].join(", ");
}

/** One test that passed is no sum, whatever its name says it pushes or creates. */
const PASSED_ONE = /(?:^|\s)(?:\(pass\)|[✓✔√]) /;
const COUNTED = /\b\d+ (?:pass|fail)/;

function isSum(line: string): boolean {
  return line.length < 200 && SUMS_UP.test(line) && (!PASSED_ONE.test(line) || COUNTED.test(line));
}

function sumsOf(result: ToolResultPart): readonly string[] {
  const known = sums.get(result);
  if (known) return known;
  const lines = resultText(result).slice(-TAIL_CHARS).split("\n");
  const found = [...new Set(lines.filter(isSum))].slice(-3);
  sums.set(result, found);
  return found;
}

/** Told of a command in its own section, and again where its lines are quoted. */
const sums = new WeakMap<ToolResultPart, readonly string[]>();
