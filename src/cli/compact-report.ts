/** What a compaction came to, as `compact --json` prints it. The keys are a contract: see `test/pins`. */
import { TABLE_HEADING } from "../apply/page.ts";
import type { Unchanged } from "../compact.ts";
import type { Edit } from "../plan/edit.ts";
import { type Quality, qualityOf } from "../quality.ts";
import { isOwnForm } from "../summarize/form.ts";
import { renderSummary } from "../summarize/render.ts";
import type { Part } from "../transcript/message.ts";
import type { Ref } from "../transcript/ref.ts";
import type { Done } from "./compact-session.ts";
import { count } from "./table.ts";

export interface CompactReport {
  readonly policy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** After, as a share of before. */
  readonly ratio: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly edits: readonly {
    readonly kind: Edit["kind"];
    readonly ref: Ref;
    readonly why: string;
    readonly tokens: number;
  }[];
  /** The summary that stands now, as the model reads it; null where nothing was folded. */
  readonly summary: string | null;
  readonly refs: readonly {
    readonly ref: Ref;
    readonly kind: Part["type"];
    readonly description: string;
    readonly tokens: number;
  }[];
  readonly elapsedMs: number;
  readonly outcome:
    | {
        readonly kind: "compacted";
        readonly session: string;
        readonly compactions: number;
        readonly notes: readonly string[];
      }
    | {
        readonly kind: "unchanged";
        readonly because: Unchanged;
        readonly detail: string;
        readonly notes: readonly string[];
      };
  readonly quality: Quality;
}

export function compactReport(done: Done): CompactReport {
  const { before, after, tokensBefore, tokensAfter, compactions, elapsedMs } = done;
  return {
    policy: done.order.policy.name,
    tokensBefore,
    tokensAfter,
    ratio: tokensBefore === 0 ? 1 : Number((tokensAfter / tokensBefore).toFixed(4)),
    messagesBefore: before.messages.length,
    messagesAfter: done.messagesWritten ?? after.messages.length,
    edits: compactions.flatMap(({ edits }) =>
      edits.map(({ kind, at, why, tokens }) => ({ kind, ref: at.ref, why, tokens })),
    ),
    summary: summaryText(done),
    refs: refRows(done),
    elapsedMs,
    outcome: outcomeOf(done),
    quality: qualityOf({ ...done, policy: done.order.policy }),
  };
}

/** In the policy's own form it stands on its page, above the table. */
function summaryText({ order, compactions }: Done): string | null {
  const last = compactions.findLast((compaction) => compaction.summary !== undefined);
  if (!last?.summary) return null;
  if (isOwnForm(order.policy.summary) || !last.page) return renderSummary(last.summary);
  const [page = ""] = last.page.text.split(`\n${TABLE_HEADING}\n`, 1);
  return `${page.trim()}\n`;
}

/** Each ref once, the largest first. */
export function refRows({ originals }: Done): CompactReport["refs"] {
  const rows = new Map(
    originals.map(({ ref, part, description, tokens }) => [
      ref,
      { ref, kind: part.type, description, tokens },
    ]),
  );
  return [...rows.values()].sort((a, b) => b.tokens - a.tokens || (a.ref < b.ref ? -1 : 1));
}

/** Compacted where any stage of a cascade was; else why the last one was not. */
function outcomeOf(done: Done): CompactReport["outcome"] {
  const { outcomes, compactions, given } = done;
  const last = outcomes.at(-1);
  if (compactions.length === 0 && last?.kind === "unchanged")
    return {
      kind: "unchanged",
      because: last.because,
      detail: last.detail,
      notes: [...whatElse(done), ...missedTarget(done), ...withoutUnfinished(done)],
    };
  const notes = outcomes.flatMap((outcome) =>
    outcome.kind === "compacted" ? outcome.notes : [`${outcome.because}: ${outcome.detail}`],
  );
  return {
    kind: "compacted",
    session: given.id,
    compactions: compactions.length,
    notes: [...notes, ...missedTarget(done), ...withoutUnfinished(done)],
  };
}

function withoutUnfinished({ leftOut = [] }: Done): readonly string[] {
  if (leftOut.length === 0) return [];
  return [
    `The body goes without what was not finished (${leftOut.join(", ")}): no provider takes a call without a result, or a thought alone, at the end.`,
  ];
}

/** Somebody who asked for less wants to know what would give it. */
function whatElse({ order, overheadTokens }: Done): readonly string[] {
  if (!order.policy.allocation || order.targetTokens !== undefined) return [];
  const besides = `${count(overheadTokens)} tokens are what the host sends besides (system prompt, tools): the file has none of it.`;
  return [
    ...(overheadTokens > 0 ? [besides] : []),
    "The newest steps are kept as they are; --target N folds of them too, down to that many tokens.",
  ];
}

/** Somebody who asked for a size should not have to find out why it is not that. */
function missedTarget({ order, tokensAfter, overheadTokens }: Done): readonly string[] {
  const { targetTokens } = order;
  if (targetTokens === undefined || tokensAfter <= targetTokens) return [];
  const asked = `${count(tokensAfter)} tokens are more than the ${count(targetTokens)} asked for`;
  const why =
    overheadTokens > 0
      ? `${count(overheadTokens)} of them are what the host sends besides (system prompt, tools)`
      : "what may not leave takes that much";
  return [`${asked}: ${why}.`];
}
