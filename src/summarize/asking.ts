/**
 * One question to a summarizer that is not ours: what comes back may be anything, late, or never. Whoever does not listen to
 * the signal is not waited for, and what is no summary is a bad answer like any other.
 */
import type { Summary, SummaryLine } from "../plan/summary.ts";
import { BadAnswer, type SummarizeInput, type Summarizer, type Written } from "./summarizer.ts";

/** Longer than our own wait for a model on a laptop: the agent's next request waits as long. */
const LONGEST_MS = 600_000;

export async function ask(
  summarizer: Summarizer,
  input: SummarizeInput,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(`no answer in ${LONGEST_MS / 60_000} minutes`), LONGEST_MS);
  const onAbort = () => waiting.abort("it was interrupted");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const options = { signal: waiting.signal };
    return checked(await Promise.race([summarizer.write(input, options), given(waiting.signal)]));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function given(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new BadAnswer("failed", String(signal.reason)));
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

/** The compiler holds no one to it who writes JavaScript. */
function checked(written: Partial<Written> | undefined): Written {
  const { summary, by, notes = [], ...rest } = written ?? {};
  if (!isSummary(summary))
    throw new BadAnswer("unparseable", "what was written is no summary with its sections");
  return { ...rest, summary, by: by ?? "a summarizer without a name", notes };
}

function isSummary(summary: Partial<Summary> | undefined): summary is Summary {
  const { sections } = summary ?? {};
  if (typeof sections !== "object" || sections === null) return false;
  return Object.values(sections).every((lines) => Array.isArray(lines) && lines.every(isLine));
}

function isLine(line: Partial<SummaryLine> | null): boolean {
  return typeof line?.text === "string" && Array.isArray(line.refs);
}
