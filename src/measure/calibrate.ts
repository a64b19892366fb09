/**
 * Reported usage corrects the count as the session goes. What a provider reports for a request is
 *
 *   prompt = overhead + scale × counted
 *
 * where `counted` is our count of what the transcript shows, and the overhead is what it does not show: system prompt,
 * tool schemas and memory the host adds (43,000 tokens in a typical Claude Code session). Both are found from the
 * requests so far. The line goes through the latest trusted request, because that one is true whatever else is not; its
 * slope is the weighted median of the slopes between recent requests, which a few odd ones cannot move.
 *
 * A value, not an object: `observe` and `edited` give the next one. Each costs the same at any length of session.
 */
import { type Message, promptTokens, type Usage } from "../transcript/message.ts";

export interface Calibration {
  /** Tokens of the provider for one of ours. */
  readonly scale: number;
  /** Tokens in every prompt that the transcript does not show. */
  readonly overhead: number;
  /** Requests this rests on. */
  readonly requests: number;
  /** The latest of them, oldest first. */
  readonly recent: readonly Point[];
  /** The first request since the last summary: the overhead before reminders and the like piled up. */
  readonly first?: Point;
  /** Far off the line, and not yet confirmed by a second one. */
  readonly suspect?: Point;
  /** Goes up by one wherever requests before and after cannot be compared. */
  readonly stretch: number;
  readonly summaries: number;
}

/** One request: what we counted and what was reported. Points of different stretches are not compared. */
export interface Point {
  readonly counted: number;
  readonly prompt: number;
  readonly stretch: number;
}

export interface Observation {
  /** Our count of the request that was sent, in tokens of the counter. */
  readonly counted: number;
  readonly usage: Usage | undefined;
  /** How the response ended: usage of failed and aborted responses is not trusted. */
  readonly ended?: Message["ended"];
}

export const UNCALIBRATED: Calibration = {
  scale: 1,
  overhead: 0,
  requests: 0,
  recent: [],
  stretch: 0,
  summaries: 0,
};

/** More says nothing new, and is no longer true: prices of tokens do not change, but what fills the context does. */
const RECENT = 64;
/** Requests apart: near ones see clean steps, far ones see what piles up unseen between them. */
const LAGS: readonly number[] = [1, 2, 4, 8];
/** How many tokens of growth it takes to outvote the counter's own scale. */
const PRIOR_TOKENS = 4000;
/** A slope outside this is an edit or an injection, not a tokenizer. */
const SLOPES = { least: 0.3, most: 4, leastGrowth: 50 } as const;
/** Off the line by more than this share, and this many tokens: wait for a second request to say the same. */
const SUSPICION = { share: 0.3, tokens: 5000 } as const;

export function isCalibrated(calibration: Calibration): boolean {
  return calibration.requests > 0;
}

/** What a prompt of this count will be reported as. */
export function predict(calibration: Calibration, counted: number): number {
  return Math.max(0, Math.round(calibration.overhead + calibration.scale * counted));
}

export function observe(calibration: Calibration, observation: Observation): Calibration {
  const prompt = trustedPrompt(observation);
  if (prompt === undefined) return calibration;
  const { counted } = observation;
  const { stretch } = calibration;
  // The first request after an edit is believed whatever it says: what was expected of it is itself a guess.
  const isKnown = calibration.recent.at(-1)?.stretch === stretch;
  const isOdd = isKnown && isFar(prompt, predict(calibration, counted));
  if (!isOdd) return withPoint(calibration, { counted, prompt, stretch });
  const { suspect } = calibration;
  const isConfirmed =
    suspect && !isFar(prompt, suspect.prompt + calibration.scale * (counted - suspect.counted));
  if (!isConfirmed) return { ...calibration, suspect: { counted, prompt, stretch } };
  // Two in a row: something left or joined the context that no record tells of. The line starts anew from here.
  return withPoint(calibration, { counted, prompt, stretch: stretch + 1 });
}

/**
 * The context was edited: usage from before says nothing of what was removed.
 *
 * `clear`: results were emptied in place; what the transcript shows and what it does not show stand as before.
 * `summary`: the messages are gone, and with them what was injected between them. What stays is what stood there at the
 * beginning; hosts read files in again afterwards, unseen, so before the first summary half of what had piled up is
 * kept, and later the overhead after the previous summary is the best guess.
 */
export function edited(calibration: Calibration, kind: "summary" | "clear"): Calibration {
  const { suspect: _suspect, first, ...kept } = calibration;
  if (!isCalibrated(calibration)) return calibration;
  const stretch = calibration.stretch + 1;
  if (kind === "clear") return { ...kept, stretch, ...(first ? { first } : {}) };
  const atFirst = first
    ? Math.max(0, first.prompt - calibration.scale * first.counted)
    : calibration.overhead;
  const piledUp = Math.max(0, calibration.overhead - atFirst);
  const overhead = calibration.summaries === 0 ? atFirst + piledUp / 2 : atFirst;
  return { ...kept, stretch, overhead, summaries: calibration.summaries + 1 };
}

function withPoint(calibration: Calibration, point: Point): Calibration {
  const recent = [...calibration.recent, point].slice(-RECENT);
  return {
    ...lineThrough(point, slopeOf(recent)),
    requests: calibration.requests + 1,
    recent,
    stretch: point.stretch,
    first: calibration.first ?? point,
    summaries: calibration.summaries,
  };
}

/**
 * No prompt holds less than nothing that we cannot see. Where the line says so by a little, our count is too high at this
 * size, and the line through zero is the truer one: a long session compacted to a tenth would be told too small by all of
 * the debt. Where it says so by much, something left that we still count, and what a token of ours is worth stands.
 */
function lineThrough({ prompt, counted }: Point, slope: number): Pick<Calibration, "scale" | "overhead"> {
  const overhead = prompt - slope * counted;
  const isOvercounted = overhead < 0 && -overhead <= SUSPICION.share * prompt;
  return isOvercounted ? { scale: prompt / counted, overhead: 0 } : { scale: slope, overhead };
}

function trustedPrompt({ counted, usage, ended }: Observation): number | undefined {
  if (usage === undefined || ended === "failed" || ended === "aborted") return undefined;
  const prompt = promptTokens(usage);
  return Number.isFinite(prompt) && prompt > 0 && Number.isFinite(counted) ? prompt : undefined;
}

function isFar(prompt: number, expected: number): boolean {
  const gap = Math.abs(prompt - expected);
  return gap > SUSPICION.tokens && gap > SUSPICION.share * Math.max(prompt, expected);
}

/** The weighted median of the slopes between requests; each weighs the growth it saw. */
function slopeOf(points: readonly Point[]): number {
  const slopes: { slope: number; weight: number }[] = [{ slope: 1, weight: PRIOR_TOKENS }];
  points.forEach((point, index) => {
    for (const lag of LAGS) {
      const before = points[index - lag];
      if (before?.stretch !== point.stretch) continue;
      const growth = point.counted - before.counted;
      const slope = (point.prompt - before.prompt) / growth;
      const isSound = Math.abs(growth) >= SLOPES.leastGrowth && slope >= SLOPES.least && slope <= SLOPES.most;
      if (isSound) slopes.push({ slope, weight: Math.abs(growth) / lag });
    }
  });
  slopes.sort((a, b) => a.slope - b.slope);
  let half = slopes.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { slope, weight } of slopes) {
    half -= weight;
    if (half <= 0) return slope;
  }
  return 1;
}
