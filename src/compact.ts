/**
 * If you read one file, read this one: measure → plan → summarize → ground → apply → check → keep → record.
 *
 * Everything is decided as data before anything is done, and nothing is handed out before its originals are durable.
 * A compaction that would be illegal, or would not save, is not committed: the context stays as it was, and the outcome
 * says why.
 */
import { createHash } from "node:crypto";
import { latestText, pageText } from "./apply/page.ts";
import { refTable } from "./apply/ref-table.ts";
import { type View, viewOf } from "./apply/view.ts";
import type { Calibration } from "./measure/calibrate.ts";
import { estimatorFor } from "./measure/count.ts";
import { measure } from "./measure/measure.ts";
import { modelNamed } from "./measure/models.ts";
import { type Leaving, originalMessages, originalsOf, refsCitedIn } from "./originals.ts";
import type { Compaction, CompactionTrigger, LedgerEntry, Page } from "./plan/ledger.ts";
import { makePlan, type Plan, type PlanInput } from "./plan/plan.ts";
import type { Policy, Size } from "./plan/policy.ts";
import { type Room, roomIn, tokensIn } from "./plan/size.ts";
import type { Original, RefRow, Store } from "./store/store.ts";
import { extractive } from "./summarize/extractive.ts";
import { renderSummary } from "./summarize/render.ts";
import { type Summarizer, summarize, type Written } from "./summarize/summarize.ts";
import { check } from "./transcript/check.ts";
import { canonical, defined, type Json } from "./transcript/json.ts";
import { hasUserWords, type Message, type Part, type Transcript } from "./transcript/message.ts";

export interface CompactOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly policy: Policy;
  readonly trigger: CompactionTrigger;
  /** Milliseconds; the caller has the clock. */
  readonly at: number;
  /** Default: what the store has. */
  readonly ledger?: readonly LedgerEntry[];
  /** Default: the window of the transcript's model. */
  readonly windowTokens?: number;
  readonly targetTokens?: number;
  readonly calibration?: Calibration;
  readonly cache?: PlanInput["cache"];
  readonly pinned?: ReadonlySet<string>;
  readonly focus?: string;
  /** Default: extractive, which needs no model. */
  readonly summarizer?: Summarizer;
  readonly signal?: AbortSignal;
  /** Everything but the last step: nothing is kept, nothing is recorded. */
  readonly isDryRun?: boolean;
}

export type Outcome =
  | {
      readonly kind: "compacted";
      readonly transcript: Transcript;
      readonly compaction: Compaction;
      readonly originals: readonly Original[];
      readonly notes: readonly string[];
    }
  | {
      readonly kind: "unchanged";
      readonly transcript: Transcript;
      readonly because: Unchanged;
      readonly detail: string;
    };

export type Unchanged = "nothing-to-do" | "not-smaller" | "not-legal";

export async function compact(transcript: Transcript, options: CompactOptions): Promise<Outcome> {
  const ledger = options.ledger ?? (await options.store.ledger(options.sessionId));
  const before = viewOf(transcript, ledger);
  const writing = { ...options, ...countingOf(transcript, options), room: roomOf(transcript, options) };
  const tokensBefore = writing.totalOf(before.transcript);
  const plan = makePlan(planInput(before, tokensBefore, writing));
  if (plan.edits.length === 0) return unchanged(before, "nothing-to-do", plan.because);

  const written = await writeSummary(before, plan, { ...writing, original: transcript });
  const originals = originalsOf(transcript, leavingBy(plan, written), writing);
  const page = await pageOf(written, plan, { ...writing, before, originals });
  const draft = compactionOf(plan, { tokensBefore, before, written, page, options });
  const after = viewOf(transcript, [...ledger, draft]);
  const compaction = { ...draft, tokensAfter: writing.totalOf(after.transcript) };
  const objection = objectionTo(compaction, { before, after, original: transcript });
  if (objection) return unchanged(before, ...objection);

  if (options.isDryRun !== true) {
    // Originals first: once the caller has the shorter context, the store is the only copy.
    await options.store.keep(options.sessionId, originals);
    await options.store.append(options.sessionId, [compaction]);
  }
  return {
    kind: "compacted",
    transcript: after.transcript,
    compaction,
    originals,
    notes: written?.notes ?? [],
  };
}

interface Counting {
  readonly tokensOf: (part: Part) => number;
  readonly tokensOfText: (text: string) => number;
  readonly totalOf: (transcript: Transcript) => number;
}

interface Writing extends CompactOptions, Counting {
  readonly room: Room;
}

function countingOf(transcript: Transcript, { calibration }: CompactOptions): Counting {
  const counter = estimatorFor(transcript.model);
  const scale = calibration?.scale ?? 1;
  return {
    tokensOf: (part) => Math.round(counter.part(part) * scale),
    tokensOfText: (text) => Math.round(counter.text(text) * scale),
    totalOf: (of) => measure(of, { counter, ...(calibration ? { calibration } : {}) }).total,
  };
}

function planInput(before: View, totalTokens: number, writing: Writing): PlanInput {
  const { policy, trigger, at, targetTokens, cache, pinned } = writing;
  return {
    transcript: before.transcript,
    addresses: before.addresses,
    tokensOf: writing.tokensOf,
    totalTokens,
    ...writing.room,
    policy,
    trigger,
    at,
    ...(targetTokens === undefined ? {} : { targetTokens }),
    ...(cache === undefined ? {} : { cache }),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

/** What is folded, with what the user said in between, as it was said: a summary of a stub would cite the stub. */
async function writeSummary(before: View, plan: Plan, options: Summing): Promise<Written | undefined> {
  if (plan.folded.length === 0) return undefined;
  const folded = new Set(plan.folded);
  const said = before.transcript.messages.slice(0, Math.max(...plan.folded) + 1);
  const originals = originalMessages(said, before, options.original);
  const isTold = (message: Message, index: number) =>
    (folded.has(index) || hasUserWords(message)) && before.addresses[index]?.length !== 0;
  const input = {
    messages: originals.filter(isTold),
    userMessages: originals.filter((message, index) => hasUserWords(message) && !folded.has(index)),
    maxTokens: tokensIn(options.policy.summary.maxTokens, options.room),
    tokensOf: options.tokensOfText,
    ...defined({ previous: before.folded?.summary, focus: options.focus }),
  };
  return summarize(input, options.summarizer ?? extractive, defined({ signal: options.signal }));
}

function leavingBy({ edits }: Plan, written: Written | undefined): Leaving {
  return { edits, cited: refsCitedIn(written?.summary) };
}

interface Summing extends Writing {
  readonly original: Transcript;
}

/** The summary and the table of what can be read back: what left before, and what leaves now. */
async function pageOf(written: Written | undefined, plan: Plan, options: Paging): Promise<Page | undefined> {
  if (!written) return undefined;
  const { policy, room, before, originals } = options;
  const kept = await options.store.list(options.sessionId, { limit: TABLE_ROWS });
  const maxTokens = policy.summary.table ? tokensIn(policy.summary.table, room) : 0;
  const table = refTable(rowsOf(kept.rows, originals), { maxTokens, tokensOf: options.tokensOfText });
  // Results the model was waiting for had to fold with their step: it must still see them.
  const latest = latestText(before.transcript.messages, plan.carried, {
    maxTokens: tokensIn(LATEST, room),
    addresses: before.addresses,
  });
  const { opening } = policy.placement;
  const areUserWordsKept = policy.tail.folds !== "everything";
  const summaryText = renderSummary(written.summary);
  const text = pageText({ summaryText, table, latest, areUserWordsKept, ...defined({ opening }) });
  return { role: policy.placement.role, ...plan.page, text };
}

interface Paging extends Writing {
  readonly before: View;
  readonly originals: readonly Original[];
}

/** Of the window; enough for a test run's end or a file's outline. */
const LATEST: Size = { share: 0.05, atMostTokens: 4_000 };

function roomOf(transcript: Transcript, { windowTokens }: CompactOptions): Room {
  const model = modelNamed(transcript.model);
  return roomIn(windowTokens ?? model.windowTokens, model);
}

/** More would not fit into any table; the table itself groups what it cannot show. */
const TABLE_ROWS = 2_000;

function rowsOf(kept: readonly RefRow[], originals: readonly Original[]): readonly RefRow[] {
  const rows = new Map<string, RefRow>(kept.map((row) => [row.ref, row]));
  for (const { ref, part, description, tokens, at } of originals)
    rows.set(ref, { ref, kind: part.type, description, tokens, at });
  return [...rows.values()];
}

interface Drafting {
  readonly tokensBefore: number;
  readonly before: View;
  readonly written: Written | undefined;
  readonly page: Page | undefined;
  readonly options: CompactOptions;
}

function compactionOf(plan: Plan, { tokensBefore, before, written, page, options }: Drafting): Compaction {
  const { policy, trigger, at, focus } = options;
  const after = plan.folded.length > 0 ? before.folded?.id : undefined;
  const content = {
    policy: policy.name,
    trigger,
    edits: plan.edits,
    ...(focus === undefined ? {} : { focus }),
    ...(after === undefined ? {} : { after }),
    ...(page === undefined ? {} : { page }),
    ...(written === undefined ? {} : { summary: written.summary }),
  };
  const { usage, costUsd } = written ?? {};
  const spent = { ...(usage === undefined ? {} : { usage }), ...(costUsd === undefined ? {} : { costUsd }) };
  return {
    kind: "compaction",
    id: idOf(content),
    at,
    ...content,
    tokensBefore,
    tokensAfter: 0,
    ...(written === undefined ? {} : { summarizing: { by: written.by, ...spent } }),
  };
}

function idOf(content: object): string {
  // What goes in is JSON by construction; the type of an interface does not say so.
  return createHash("sha256")
    .update(canonical(content as unknown as Json))
    .digest("hex")
    .slice(0, 16);
}

interface Judged {
  readonly before: View;
  readonly after: View;
  readonly original: Transcript;
}

/** Why a compaction may not be committed: it saves nothing, or what comes out would be refused by a provider. */
function objectionTo(
  { tokensBefore, tokensAfter }: Compaction,
  { before, after, original }: Judged,
): readonly [Unchanged, string] | undefined {
  if (tokensAfter >= tokensBefore)
    return ["not-smaller", `${tokensAfter} tokens would follow ${tokensBefore}`];
  const problems = check(after.transcript, { as: "record", original });
  if (problems.length === 0) return undefined;
  // What the host itself got wrong before is not ours to judge here.
  const known = new Set(check(before.transcript, { as: "record", original }).map(({ code }) => code));
  const problem = problems.find(({ code }) => !known.has(code));
  return problem && ["not-legal", `${problem.code} at message ${problem.messageIndex}: ${problem.why}`];
}

function unchanged({ transcript }: View, because: Unchanged, detail: string): Outcome {
  return { kind: "unchanged", transcript, because, detail };
}
