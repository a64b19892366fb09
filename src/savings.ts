/**
 * What a session saved, net (law 8): what its requests would have taken without us, less what they took, less what we took.
 *
 * Without us, each request would have sent its whole history: `tokensWithoutUs`, but never more than the window holds. A
 * history that only grows is cached at its best, so it is priced that way: what the request before had sent is read from the
 * cache as long as the cache is warm, the rest is new. That is the hardest comparison we can set ourselves. Reported usage
 * already holds stubs, pages, cache rewrites and our tools; they are shown as lines of their own, and taken out of `sent`, not
 * counted twice. Reading an original back puts a copy of it in every later history, and took a request that would not have
 * been made; so the copy and that request do not count as sent without us. Tokens are those of prompt and answer;
 * the lines add up to the result, which may be negative.
 *
 * Not known here: whether a request that fetched an original did something else too. It is counted against us.
 */
import { cost, modelNamed } from "./measure/models.ts";
import type { LedgerEntry, Requested } from "./plan/ledger.ts";
import { promptTokens, type Usage } from "./transcript/message.ts";

export interface SavingsOptions {
  /** Where a request does not name its own. */
  readonly model?: string | undefined;
  /**
   * Tokens of ours in every prompt sent, where a request does not say: tool schemas, ref table. They move between the
   * lines, not in the result.
   */
  readonly overheadTokens?: number;
}

export interface Savings {
  readonly tokens: number;
  readonly usd?: number;
  /** Why there is no amount in USD. */
  readonly because?: string;
  readonly requests: number;
  readonly lines: readonly SavingsLine[];
  /** The result in a sentence, which says so when it is a loss. */
  readonly text: string;
}

export interface SavingsLine {
  readonly what:
    | "without us"
    | "sent"
    | "standing overhead"
    | "cache rewrites"
    | "fetched back"
    | "summaries";
  /** Positive where it saves, negative where it costs. */
  readonly tokens: number;
  readonly usd: number;
}

export function netSavings(ledger: readonly LedgerEntry[], options: SavingsOptions = {}): Savings {
  const requests = requestsIn(ledger, options).map((found) => ({ ...found, usd: pricesOf(found) }));
  const lines: readonly SavingsLine[] = [
    line("without us", requests, ({ without, usd }) => [tokensOf(without), usd.without]),
    line("sent", requests, ({ usage, overhead, usd }) => [overhead - tokensOf(usage), usd.sent]),
    line("standing overhead", requests, ({ overhead, usd }) => [-overhead, -usd.overhead]),
    line("cache rewrites", requests, ({ usd }) => [0, -usd.rewrites]),
    line("fetched back", requests, ({ without, fetched, usd }) => [
      tokensOf(fetched) - tokensOf(without),
      usd.fetched - usd.without,
    ]),
    summaries(ledger, options.model),
  ];
  const tokens = lines.reduce((sum, { tokens }) => sum + tokens, 0);
  const usd = lines.reduce((sum, { usd }) => sum + usd, 0);
  const because = unpriced(requests, options.model);
  const result = {
    tokens,
    ...(because === undefined ? { usd } : { because }),
    requests: requests.length,
    lines,
  };
  return { ...result, text: inWords(result) };
}

/** Looked up once per request: finding a model by its name is what takes time here. */
function pricesOf(request: Request): Readonly<Record<Priced, number>> {
  const { model, usage, without, fetched } = request;
  const ours = overheadUsd(request);
  const rewrites = rewriteUsd(request);
  return {
    sent: ours + rewrites - usdOf(usage, model),
    without: usdOf(without, model),
    fetched: fetched === NOTHING ? 0 : usdOf(fetched, model),
    overhead: ours,
    rewrites,
  };
}

type Priced = "sent" | "without" | "fetched" | "overhead" | "rewrites";

interface Request {
  readonly model: string | undefined;
  readonly usage: Usage;
  /** The same request with the whole history, cached at its best. */
  readonly without: Usage;
  /** That, without copies of what was fetched back; nothing, where the request was made to fetch. */
  readonly fetched: Usage;
  /** Tokens written to the cache again because an edit came before them. */
  readonly rewritten: number;
  /** Tokens of ours that stand in it whatever is said. */
  readonly overhead: number;
}

const NOTHING: Usage = { uncachedTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

function requestsIn(
  ledger: readonly LedgerEntry[],
  { model, overheadTokens }: SavingsOptions,
): readonly Request[] {
  const usages = ledger.flatMap((entry) => (entry.kind === "requested" ? [entry.usage] : []));
  const habit: CacheHabit = {
    isCaching: usages.some((usage) => usage.cacheReadTokens + usage.cacheWriteTokens > 0),
    isWriting: usages.some((usage) => usage.cacheWriteTokens > 0),
  };
  const found: Request[] = [];
  let past: Past = { copies: 0, isEdited: false };
  for (const entry of ledger) {
    const last = found.at(-1);
    if (entry.kind === "compaction" || entry.kind === "undo") past = { ...past, isEdited: true };
    if (entry.kind === "recalled") {
      past = { ...past, copies: past.copies + entry.tokens };
      if (last) found[found.length - 1] = { ...last, fetched: NOTHING };
    }
    if (entry.kind !== "requested") continue;
    const named = { overheadTokens: overheadTokens ?? 0, ...entry, model: entry.model ?? model };
    found.push(requestOf(named, past, habit));
    past = { ...past, isEdited: false, before: { ...named, copies: past.copies } };
  }
  return found;
}

interface CacheHabit {
  readonly isCaching: boolean;
  readonly isWriting: boolean;
}

type Named = Omit<Requested, "model"> & { readonly model: string | undefined };

/** What came before a request. */
interface Past {
  readonly before?: Named & { readonly copies: number };
  /** Tokens read back so far: that much of every later history is a copy. */
  readonly copies: number;
  readonly isEdited: boolean;
}

function requestOf(entry: Named, { before, copies, isEdited }: Past, habit: CacheHabit): Request {
  const { model, usage } = entry;
  const isWarm = habit.isCaching && before !== undefined && isWarmAt(before, entry, isEdited);
  const room = roomOf(model);
  const sent = (tokens: number) => Math.min(Math.max(0, tokens), room);
  const whole = sent(entry.tokensWithoutUs);
  const earlier = before ? sent(before.tokensWithoutUs) : 0;
  const spelled = (prompt: number, cached: number) =>
    cachedUsage(prompt, isWarm ? cached : 0, { usage, habit });
  const grown = Math.max(0, whole - earlier);
  const isRewritten = isEdited && isWarm;
  return {
    model,
    usage,
    without: spelled(whole, earlier),
    fetched: spelled(
      sent(entry.tokensWithoutUs - copies),
      before ? sent(before.tokensWithoutUs - before.copies) : 0,
    ),
    overhead: entry.overheadTokens ?? 0,
    rewritten: isRewritten ? Math.max(0, promptTokens(usage) - usage.cacheReadTokens - grown) : 0,
  };
}

/** A prompt larger than this could not have been sent. */
function roomOf(model: string | undefined): number {
  const { inputTokens, windowTokens } = modelNamed(model);
  return inputTokens ?? windowTokens;
}

/**
 * What was read from the cache proves it warm. After an edit nothing may have been left to read; then the clock decides,
 * as it would have without the edit.
 */
function isWarmAt(before: Named, entry: Named, isEdited: boolean): boolean {
  if (before.model !== entry.model) return false;
  if (entry.usage.cacheReadTokens > 0) return true;
  const { ttlMinutes, longTtlMinutes } = modelNamed(entry.model).cache;
  const isLong = (before.usage.cacheWrite1hTokens ?? 0) > 0;
  const minutes = isLong ? (longTtlMinutes ?? ttlMinutes) : ttlMinutes;
  return isEdited && entry.at - before.at <= minutes * 60_000;
}

/** A prompt of which so much is in the cache, in the way this host pays for the rest. */
function cachedUsage(
  prompt: number,
  cached: number,
  { usage, habit }: { readonly usage: Usage; readonly habit: CacheHabit },
): Usage {
  const cacheReadTokens = Math.min(prompt, cached);
  const fresh = prompt - cacheReadTokens;
  return {
    uncachedTokens: habit.isWriting ? 0 : fresh,
    cacheReadTokens,
    cacheWriteTokens: habit.isWriting ? fresh : 0,
    ...((usage.cacheWrite1hTokens ?? 0) > 0 ? { cacheWrite1hTokens: fresh } : {}),
    outputTokens: usage.outputTokens,
  };
}

function line<R>(
  what: SavingsLine["what"],
  requests: readonly R[],
  of: (request: R) => readonly [tokens: number, usd: number],
): SavingsLine {
  const amounts = requests.map(of);
  // Adding 0 turns -0 into 0: nothing is not a loss.
  return {
    what,
    tokens: amounts.reduce((sum, [tokens]) => sum + tokens, 0) + 0,
    usd: amounts.reduce((sum, [, usd]) => sum + usd, 0) + 0,
  };
}

function summaries(ledger: readonly LedgerEntry[], model: string | undefined): SavingsLine {
  const written = ledger.flatMap((entry) =>
    entry.kind === "compaction" && entry.summarizing ? [entry.summarizing] : [],
  );
  const usages = written.map(({ usage }) => usage ?? NOTHING);
  return {
    what: "summaries",
    tokens: 0 - usages.reduce((sum, usage) => sum + tokensOf(usage), 0),
    usd:
      0 - written.reduce((sum, { by, usage, costUsd }) => sum + (costUsd ?? summaryUsd(by, usage, model)), 0),
  };
}

/** Summarizers go by the name of their model (`model claude-…`), where one wrote; else by that of the session. */
function summaryUsd(by: string, usage: Usage | undefined, model: string | undefined): number {
  if (usage === undefined) return 0;
  const own = by.split(/\s+/).at(-1);
  return cost(usage, own).usd ?? usdOf(usage, model);
}

function tokensOf(usage: Usage): number {
  return promptTokens(usage) + usage.outputTokens;
}

/** Zero where no price is known: then the result gives no amount at all, and says why. */
function usdOf(usage: Usage, model: string | undefined): number {
  return cost(usage, model).usd ?? 0;
}

/** Our share of the prompt, at what a token of this prompt cost on average. */
function overheadUsd({ usage, model, overhead }: Request): number {
  const prompt = promptTokens(usage);
  return prompt === 0 || overhead === 0
    ? 0
    : (usdOf({ ...usage, outputTokens: 0 }, model) * overhead) / prompt;
}

/** What writing anew cost more than reading would have. */
function rewriteUsd({ usage, rewritten, model }: Request): number {
  if (rewritten === 0) return 0;
  const written = Math.min(rewritten, usage.cacheWriteTokens);
  const paid = { ...NOTHING, cacheWriteTokens: written, uncachedTokens: rewritten - written };
  return usdOf(paid, model) - usdOf({ ...NOTHING, cacheReadTokens: rewritten }, model);
}

function unpriced(requests: readonly Request[], model: string | undefined): string | undefined {
  if (requests.length === 0) return cost(NOTHING, model).because;
  return requests
    .map(({ usage, model }) => cost(usage, model).because)
    .find((because) => because !== undefined);
}

function inWords({ tokens, usd, because, requests }: Omit<Savings, "text" | "lines">): string {
  const over = `over ${requests} ${requests === 1 ? "request" : "requests"}`;
  if (requests === 0) return "No request has been reported yet, so nothing is known to be saved.";
  const amount = Math.abs(tokens).toLocaleString("en-US");
  const money =
    usd === undefined
      ? `in USD unknown: ${because}`
      : `${usd < 0 ? "a loss of " : ""}$${Math.abs(usd).toFixed(2)}`;
  if (tokens < 0)
    return `A net loss of ${amount} tokens ${over} (${money}): so far more was added than left out.`;
  return `${amount} tokens saved net ${over} (${money}).`;
}
