/**
 * Is what the model says after a compaction true? It is asked for the state of the work; its claims are taken apart, and
 * each is held against the lines of the original session that have most of its words. Supported counts only with a quote
 * that stands there.
 */
import type { Line } from "../probes/lines.ts";
import { normal } from "../probes/probe.ts";
import type { Asking } from "./recall.ts";
import { type Seen, textOf } from "./seen.ts";

export interface Grounding {
  readonly claims: number;
  readonly supported: number;
  readonly contradicted: number;
  readonly notFound: number;
  readonly answerTokens: number;
}

const STATE = `You are a coding agent whose context was compacted. Say where the work stands: the task, files changed, errors met and how they
were solved, decisions with their reasons, numbers that matter, what comes next. State only what you know. At most 250 words.`;
const EXTRACT = `Take the text apart into atomic factual claims about the session: one fact each, understandable alone. No opinions, no plans.
Answer with one claim per line, each beginning with "- ". At most 20.`;
const ADJUDICATE = `You check one claim against lines from the session. Answer in two lines:
VERDICT: supported | contradicted | not found
QUOTE: <the words of the lines that decide it, copied exactly; empty where not found>
Supported means the lines state it. Contradicted means they state something that cannot be true with it. Anything else is not found.`;

const MOST_CLAIMS = 20;
const CHARS_PER_TOKEN = 4;

export async function ground(seen: Seen, source: readonly Line[], asking: Asking): Promise<Grounding> {
  const { asker, replicate } = asking;
  const told = await asker.ask({
    ...{ about: "state", system: STATE, replicate, store: seen.store },
    prompt: `<context>\n${seen.text}\n</context>\n\nWhere does the work stand?`,
  });
  const listed =
    told.text.trim() === ""
      ? undefined
      : await asker.ask({ about: "claims", system: EXTRACT, replicate, prompt: told.text });
  const claims = claimsIn(listed?.text ?? "");
  const counts = { supported: 0, contradicted: 0, notFound: 0 };
  for (const claim of claims) counts[await adjudicated(claim, source, asking)] += 1;
  const answerTokens = Math.round(told.text.length / CHARS_PER_TOKEN);
  return { claims: claims.length, ...counts, answerTokens };
}

export function claimsIn(text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => /^\s*(?:[-*•]|\d+[.)])\s+(.{8,})$/.exec(line)?.[1] ?? [])
    .slice(0, MOST_CLAIMS);
}

type Verdict = "supported" | "contradicted" | "notFound";

async function adjudicated(claim: string, source: readonly Line[], asking: Asking): Promise<Verdict> {
  const spans = textOf(spansFor(claim, source));
  if (spans === "") return "notFound";
  const { text } = await asking.asker.ask({
    ...{ about: "adjudicate", system: ADJUDICATE, replicate: asking.replicate },
    prompt: `Claim: ${claim}\n\nLines:\n${spans}`,
  });
  const verdict = /VERDICT:\s*(supported|contradicted|not found)/i.exec(text)?.[1]?.toLowerCase();
  const quote = normal(/QUOTE:\s*(.*)/i.exec(text)?.[1] ?? "").replace(/^["'`]|["'`]$/g, "");
  const isQuoted = quote.length >= 4 && normal(spans).includes(quote);
  if (!isQuoted || verdict === undefined || verdict === "not found") return "notFound";
  return verdict === "supported" ? "supported" : "contradicted";
}

const MOST_SPANS = 16;

/** The lines with most words of the claim, rare words counting more; with a line before and after. */
export function spansFor(claim: string, source: readonly Line[]): readonly Line[] {
  const words = [...new Set(claim.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? [])];
  const holding = words.map((word) => source.flatMap(({ lower }, at) => (lower.includes(word) ? [at] : [])));
  const scores = new Map<number, number>();
  for (const places of holding)
    for (const at of places) scores.set(at, (scores.get(at) ?? 0) + 1 / Math.log2(2 + places.length));
  const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, MOST_SPANS);
  const wanted = new Set(best.flatMap(([at]) => [at - 1, at, at + 1]));
  return source.filter((_, at) => wanted.has(at));
}
