/**
 * If you read one file, read this one: measure → plan → summarize → ground → apply → check → keep → record.
 *
 * Everything is decided as data before anything is done, and nothing is handed out before its originals are durable.
 * A compaction that would be illegal, or would not save, is not committed: the context stays as it was, and the outcome
 * says why.
 */
import { createHash } from "node:crypto";
import { type Accounting, accountingOf } from "./accounting.ts";
import { type View, viewOf } from "./apply/view.ts";
import type { Calibration } from "./measure/calibrate.ts";
import { modelNamed } from "./measure/models.ts";
import { type Objection, objectionTo } from "./objection.ts";
import { type Leaving, originalsOf, refsCitedIn } from "./originals.ts";
import { pageOf } from "./page-of.ts";
import type { Compaction, CompactionTrigger, LedgerEntry, Page } from "./plan/ledger.ts";
import { makePlan, type Plan, type PlanInput } from "./plan/plan.ts";
import type { AccountingRule, Policy } from "./plan/policy.ts";
import { type Room, roomIn } from "./plan/size.ts";
import type { Summary } from "./plan/summary.ts";
import { type SpoolFile, spooledFiles } from "./spooled-files.ts";
import type { Spool } from "./store/spool.ts";
import type { Original, Store } from "./store/store.ts";
import type { LiveRequest, Summarizer, Written } from "./summarize/summarize.ts";
import type { Transcript } from "./transcript/message.ts";
import type { Ref } from "./transcript/ref.ts";
import type { Workspace } from "./workspace.ts";
import { writeSummary } from "./write-summary.ts";

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
  /** For policies that use a better one where a person asked. Default: `summarizer`. */
  readonly fullSummarizer?: Summarizer;
  /** The files the agent works on: to put them back, and to say which have changed since. */
  readonly workspace?: Workspace;
  /** Where policies that name paths write their files; without it the store alone has them. */
  readonly spool?: Spool;
  /** The request the host would send next, for a summarizer that asks on its prefix. */
  readonly live?: LiveRequest;
  /** Pages of ours that stand in the history as messages: merged where they fold, not summarized. See `own-page.ts`. */
  readonly ownPages?: ReadonlyMap<Ref, Summary>;
  /** Nobody works on the session, as with a file that lies there: calls at its end will not be answered. */
  readonly isAtRest?: boolean;
  readonly signal?: AbortSignal;
  /** Everything but the last step: nothing is kept, nothing is recorded. */
  readonly isDryRun?: boolean;
}

export interface Compacted {
  readonly kind: "compacted";
  readonly transcript: Transcript;
  readonly compaction: Compaction;
  readonly originals: readonly Original[];
  /** What the policy wants as files, beside the store. */
  readonly files: readonly SpoolFile[];
  readonly notes: readonly string[];
}

export type Outcome =
  | Compacted
  | {
      readonly kind: "unchanged";
      readonly transcript: Transcript;
      readonly because: Unchanged;
      readonly detail: string;
    };

/** `failed`: only a session says it, which fails open; `compact` itself throws. */
export type Unchanged = "nothing-to-do" | "failed" | Objection;

export async function compact(transcript: Transcript, options: CompactOptions): Promise<Outcome> {
  const ledger = options.ledger ?? (await options.store.ledger(options.sessionId));
  const before = viewOf(transcript, ledger);
  const writing = writingOf(transcript, options);
  const plan = makePlan(planInput(before, writing));
  if (plan.edits.length === 0) return unchanged(before, "nothing-to-do", plan.because);

  const written = await writeSummary(before, plan, writing);
  const { history } = before;
  const originals = originalsOf(transcript, leavingBy(plan, written), { ...writing, history });
  const files = spooledFiles(plan, { ...writing, originals, before, written });
  const page = await pageOf(written, plan, { ...writing, ...files, before, originals });
  const tokensBefore = writing.totalOf(before.transcript);
  const draft = compactionOf(plan, { tokensBefore, before, written, page, options });
  const after = viewOf(transcript, [...ledger, draft], history);
  const compaction = { ...draft, tokensAfter: writing.totalOf(after.transcript) };
  const objection = objectionTo(compaction, before, after);
  if (objection) return unchanged(before, ...objection);

  const notes = written?.notes ?? [];
  const made = { transcript: after.transcript, compaction, originals, files: files.list, notes };
  const outcome: Compacted = { kind: "compacted", ...made };
  if (options.isDryRun !== true) await commit(outcome, options);
  return outcome;
}

export interface Committing {
  readonly store: Store;
  readonly sessionId: string;
  readonly spool?: Spool | undefined;
}

/** Originals first: once the caller has the shorter context, the store is the only copy. */
export async function commit(
  { originals, files, compaction }: Compacted,
  { store, sessionId, spool }: Committing,
): Promise<void> {
  await store.keep(sessionId, originals);
  for (const { path, text } of files) await spool?.write(path, text);
  if (!compaction.isTransient) await store.append(sessionId, [compaction]);
}

/** `accounting` is how the policy counts; what is compared and reported is always measured the same way. */
interface Writing extends CompactOptions, Accounting {
  readonly original: Transcript;
  readonly accounting: Accounting;
  readonly room: Room;
}

/** Measured alike for all policies, by usage where it was reported. */
const MEASURED: AccountingRule = { basis: "usage", counts: ["system", "tools", "call-inputs"] };

function writingOf(transcript: Transcript, options: CompactOptions): Writing {
  const { policy, calibration } = options;
  const counting = { model: transcript.model, calibration };
  return {
    ...options,
    original: transcript,
    ...accountingOf({ accounting: MEASURED }, counting),
    accounting: accountingOf(policy, counting),
    room: roomOf(transcript, options),
  };
}

function planInput(before: View, writing: Writing): PlanInput {
  const { policy, trigger, at, targetTokens, cache, pinned, ownPages, accounting, spool, isAtRest } = writing;
  return {
    transcript: before.transcript,
    addresses: before.addresses,
    tokensOf: accounting.tokensOf,
    messageTokens: accounting.messageTokens,
    totalTokens: accounting.totalOf(before.transcript),
    ...writing.room,
    policy,
    trigger,
    at,
    ...(targetTokens === undefined ? {} : { targetTokens }),
    ...(cache === undefined ? {} : { cache }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(ownPages === undefined ? {} : { ownPages }),
    ...(isAtRest === undefined ? {} : { isAtRest }),
    ...(spool === undefined ? {} : { pathOf: spool.pathOf }),
  };
}

function leavingBy({ edits }: Plan, written: Written | undefined): Leaving {
  return { edits, cited: refsCitedIn(written?.summary) };
}

function roomOf(transcript: Transcript, { windowTokens }: CompactOptions): Room {
  const model = modelNamed(transcript.model);
  return roomIn(windowTokens ?? model.windowTokens, model);
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
    ...(plan.isTransient ? { isTransient: true as const } : {}),
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
  // As it stands: the same code wrote its keys in the same order, and sorting them took longer than checking the outcome.
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}

function unchanged({ transcript }: View, because: Unchanged, detail: string): Outcome {
  return { kind: "unchanged", transcript, because, detail };
}
