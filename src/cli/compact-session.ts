/**
 * A session compacted from the command line: its file kept first, then once or as a cascade, and what came of it.
 *
 * A file is what it says it is: compacting it begins afresh and takes back what was done to the same file before, so
 * that the same command gives the same result twice. All of it is worked out beside the store and committed at once, so
 * a dry run is the absence of that step and Ctrl-C leaves what was. A session named in the store goes on from where it
 * stands.
 */
import { standingCompactions, view } from "../apply/view.ts";
import { type CompactOptions, compact, type Outcome } from "../compact.ts";
import { liveRequest } from "../live-request.ts";
import { type Calibration, isCalibrated } from "../measure/calibrate.ts";
import { estimatorFor, messageTokens } from "../measure/count.ts";
import { type Measurement, measure } from "../measure/measure.ts";
import { modelNamed } from "../measure/models.ts";
import { calibrationOf } from "../measure/recorded.ts";
import type { Compaction, LedgerEntry } from "../plan/ledger.ts";
import type { Policy } from "../plan/policy.ts";
import { memoryStore } from "../store/memory.ts";
import type { Spool } from "../store/spool.ts";
import type { Original, Store } from "../store/store.ts";
import type { Summarizer } from "../summarize/summarize.ts";
import { defined } from "../transcript/json.ts";
import type { Part, Transcript } from "../transcript/message.ts";
import type { Workspace } from "../workspace.ts";
import { type KeptFile, keepFile } from "./keep-file.ts";
import { ledgerOf, recognise } from "./own-pages.ts";
import type { Given } from "./session-argument.ts";
import { stagesOf } from "./stages.ts";

export interface Order {
  readonly policy: Policy;
  readonly summarizer: Summarizer;
  /** How often, as a session that keeps filling would; 1 is once. */
  readonly cascade: number;
  readonly isDryRun: boolean;
  readonly windowTokens?: number;
  readonly targetTokens?: number;
  readonly focus?: string;
  /** The files the agent worked on, where they are at hand. */
  readonly workspace?: Workspace;
  /** Where files of a session go, for policies that name paths. */
  readonly spool?: (sessionId: string) => Spool;
  /** Told after each compaction of a cascade. */
  readonly onStage?: (done: number) => void;
}

export interface Done {
  readonly given: Given;
  readonly order: Order;
  readonly windowTokens: number;
  /** Under which name the file was kept; absent in a dry run and where the store had it already. */
  readonly kept?: KeptFile;
  readonly before: Transcript;
  readonly after: Transcript;
  /** How many messages the written body has, where it is in other words than the file; else as many as `after`. */
  readonly messagesWritten?: number;
  /** Calls without a result that the written body goes without (`sendable.ts`). */
  readonly leftOut?: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of both: what the host sends besides the messages, and the file does not show. */
  readonly overheadTokens: number;
  readonly outcomes: readonly Outcome[];
  /** Of all compactions, oldest first. */
  readonly compactions: readonly Compaction[];
  readonly originals: readonly Original[];
  readonly tokensOf: (part: Part) => number;
  readonly elapsedMs: number;
}

export async function compactSession(found: Given, order: Order, store: Store): Promise<Done> {
  const startedAt = performance.now();
  const { given, summaries, parent } = await recognise(found, store);
  const isFresh = !given.isStored || order.cascade > 1;
  const known = await ledgerOf(store, given.id);
  const ledger = isFresh ? [] : known;
  const before = view(given.session.seen, ledger);
  const at = Date.now();
  const kept = given.isStored || order.isDryRun ? undefined : await keepFile(given, store, { at, parent });
  const counting = countingOf(given);
  const windowTokens = windowOf(given, order);
  // What we wrote goes on from where it was: its page and its table name what left before.
  const isGoingOn = summaries.size > 0 && order.cascade === 1 && parent === undefined;
  const place = isFresh && !isGoingOn ? await scratchStore(given) : store;
  const pages = { ownPages: summaries };
  const outcomes = await runStages({ given, order, ledger, windowTokens, store: place, pages, ...counting });
  // Taking an earlier compaction back would not be starting afresh where the file goes on from it.
  const replaced = isFresh && kept?.isBeside !== true ? standingCompactions(known) : [];
  if (!order.isDryRun) await commit(store, given.id, { outcomes, replaced, spool: order.spool?.(given.id) });
  const elapsedMs = Math.round(performance.now() - startedAt);
  const facts = { given, order, windowTokens, elapsedMs, ...(kept === undefined ? {} : { kept }) };
  return { ...facts, ...sizesOf(before, outcomes, counting) };
}

/** What the outcomes come to. */
function sizesOf(
  before: Transcript,
  outcomes: readonly Outcome[],
  { measured, tokensOf }: Counting,
): Omit<Done, "given" | "order" | "windowTokens" | "elapsedMs" | "kept"> {
  const after = outcomes.at(-1)?.transcript ?? before;
  const { total, overhead } = measured(before);
  return {
    before,
    after,
    tokensBefore: total,
    tokensAfter: measured(after).total,
    overheadTokens: overhead,
    outcomes,
    compactions: compactionsOf(outcomes),
    originals: outcomes.flatMap(originalsThatLeft),
    tokensOf,
  };
}

interface Counting {
  readonly calibration: Calibration | undefined;
  readonly tokensOf: (part: Part) => number;
  readonly measured: (transcript: Transcript) => Measurement;
}

/** The same counts `compact` makes, so that what is shown adds up with what was decided. */
function countingOf({ session }: Given): Counting {
  const counter = estimatorFor(session.whole.model);
  const found = calibrationOf(session, counter);
  const calibration = isCalibrated(found) ? found : undefined;
  const scale = calibration?.scale ?? 1;
  return {
    calibration,
    tokensOf: (part) => Math.round(counter.part(part) * scale),
    measured: (of) => measure(of, { counter, ...(calibration ? { calibration } : {}) }),
  };
}

interface Running extends Counting {
  readonly given: Given;
  readonly order: Order;
  readonly store: Store;
  readonly ledger: readonly LedgerEntry[];
  readonly windowTokens: number;
  readonly pages: Pick<CompactOptions, "ownPages">;
}

async function runStages(running: Running): Promise<readonly Outcome[]> {
  const { given, order, store } = running;
  const { seen } = given.session;
  const counter = estimatorFor(seen.model);
  const isCascade = order.cascade > 1;
  const stages = isCascade
    ? stagesOf(seen, order.cascade, (message) => messageTokens(message, counter))
    : [seen];
  const outcomes: Outcome[] = [];
  let ledger = running.ledger;
  for (const stage of stages) {
    // A stage of a cascade is made up: no host would send it, and no provider has it cached.
    const live = isCascade ? undefined : liveRequest(view(stage, ledger), wireOf(given));
    const outcome = await compact(stage, {
      ...optionsOf(running),
      ...running.pages,
      ledger,
      ...defined({ live }),
    });
    outcomes.push(outcome);
    if (outcome.kind === "compacted") {
      // What holds for one request alone is shown, and the next stage begins from the whole.
      if (!outcome.compaction.isTransient) ledger = [...ledger, outcome.compaction];
      // The table of the next one names what left by this one.
      if (isCascade) await store.keep(given.id, outcome.originals);
    }
    order.onStage?.(outcomes.length);
  }
  return outcomes;
}

/** Whose spelling the messages have: that of the body they were saved in, or of the harness. */
function wireOf({ session }: Given): string {
  return session.seen.native?.of ?? session.wire;
}

function optionsOf({ given, order, store, windowTokens, calibration }: Running): CompactOptions {
  const { policy, summarizer, targetTokens, focus, workspace } = order;
  const spool = order.spool?.(given.id);
  return {
    ...{ store, sessionId: given.id, policy, summarizer, windowTokens, at: Date.now() },
    // A person asked for it, so it is done below the trigger too.
    trigger: "manual",
    isAtRest: true,
    isDryRun: true,
    ...(calibration === undefined ? {} : { calibration }),
    ...(targetTokens === undefined ? {} : { targetTokens }),
    ...(focus === undefined ? {} : { focus }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(spool === undefined ? {} : { spool }),
  };
}

async function scratchStore({ id }: Given): Promise<Store> {
  const store = memoryStore();
  await store.openSession({ id, at: Date.now() });
  return store;
}

interface Commit {
  readonly spool: Spool | undefined;
  readonly outcomes: readonly Outcome[];
  /** Compactions the new ones stand in for. */
  readonly replaced: readonly Compaction[];
}

/** Originals first. What is taken back goes in one append with what takes its place. */
async function commit(store: Store, id: string, { outcomes, replaced, spool }: Commit): Promise<void> {
  const made = compactionsOf(outcomes).filter(({ isTransient }) => !isTransient);
  const at = Date.now();
  const ids = new Set(made.map((compaction) => compaction.id));
  const undos = replaced
    .filter((compaction) => !ids.has(compaction.id))
    .map(({ id: of }): LedgerEntry => ({ kind: "undo", at, of }));
  for (const outcome of outcomes)
    if (outcome.kind === "compacted") {
      await store.keep(id, outcome.originals);
      for (const { path, text } of outcome.files) await spool?.write(path, text);
    }
  if (made.length === 0) return;
  await store.append(id, [...undos, ...made]);
}

function compactionsOf(outcomes: readonly Outcome[]): readonly Compaction[] {
  return outcomes.flatMap((outcome) => (outcome.kind === "compacted" ? [outcome.compaction] : []));
}

function windowOf({ session }: Given, { windowTokens }: Order): number {
  return windowTokens ?? session.about.windowTokens ?? modelNamed(session.seen.model).windowTokens;
}

/** What the summary merely points to is kept as well, but did not leave. */
function originalsThatLeft(outcome: Outcome): readonly Original[] {
  if (outcome.kind !== "compacted") return [];
  const left = new Set(outcome.compaction.edits.map(({ at }) => at.ref));
  return outcome.originals.filter(({ ref }) => left.has(ref));
}
