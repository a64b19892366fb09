/** Who writes the summary of a fold, of what, and in which form: the policy says so, where it can be had. */

import type { View } from "./apply/view.ts";
import { withFailures } from "./failed-approaches.ts";
import { originalMessages } from "./originals.ts";
import { type Address, addressKey } from "./plan/edit.ts";
import type { CompactionTrigger } from "./plan/ledger.ts";
import { pageShares } from "./plan/page-share.ts";
import type { Plan } from "./plan/plan.ts";
import type { Policy } from "./plan/policy.ts";
import { type Room, tokensIn } from "./plan/size.ts";
import type { Summary } from "./plan/summary.ts";
import { withText } from "./plan/with-text.ts";
import { extractive } from "./summarize/extractive.ts";
import { materialOf } from "./summarize/prompt.ts";
import {
  type LiveRequest,
  type SummarizeInput,
  type Summarizer,
  summarize,
  type Written,
} from "./summarize/summarize.ts";
import type { LinesWanted } from "./summarize/summarizer.ts";
import { largest } from "./transcript/extremes.ts";
import { defined } from "./transcript/json.ts";
import { hasUserWords, type Message, type Part, type Transcript } from "./transcript/message.ts";
import type { Ref } from "./transcript/ref.ts";

export interface Summing {
  readonly policy: Policy;
  readonly trigger: CompactionTrigger;
  readonly room: Room;
  /** The history, as the host has it. */
  readonly original: Transcript;
  readonly tokensOfText: (text: string) => number;
  readonly summarizer?: Summarizer;
  readonly fullSummarizer?: Summarizer;
  readonly focus?: string;
  readonly live?: LiveRequest;
  readonly ownPages?: ReadonlyMap<Ref, Summary>;
  readonly signal?: AbortSignal;
}

/** Undefined where nothing folds, or the policy wants no summary. */
export async function writeSummary(before: View, plan: Plan, options: Summing): Promise<Written | undefined> {
  const { summarizer, notes } = chosen(options);
  if (plan.folded.length === 0 || !summarizer) return undefined;
  const written = await summarize(
    inputOf(before, plan, options),
    summarizer,
    defined({ signal: options.signal }),
  );
  const summary = withFailures(written.summary, { before, plan, original: options.original });
  return { ...written, summary, notes: [...notes, ...written.notes] };
}

/** What is folded, with what the user said in between, as it was said: a summary of a stub would cite the stub. */
function inputOf(before: View, plan: Plan, options: Summing): SummarizeInput {
  const { policy, room } = options;
  const { folded } = plan;
  const isFolded = new Set(folded);
  const said = before.transcript.messages.slice(0, largest(folded) + 1);
  const originals = originalMessages(said, before, options.original).map((message, index) =>
    withoutOwnPages(message, before.addresses[index] ?? [], options),
  );
  const pageAt = (index: number) => ownPageAt(before, index, options);
  const isTold = (message: Message, index: number) =>
    (isFolded.has(index) || hasUserWords(message)) &&
    before.addresses[index]?.length !== 0 &&
    message.parts.length > 0;
  const shares = pageShares(policy, room, plan);
  const previous = before.folded?.summary ?? folded.map(pageAt).findLast((page) => page !== undefined);
  return {
    messages: newestOf(originals.filter(isTold), options),
    userMessages: originals.filter((message, index) => hasUserWords(message) && !isFolded.has(index)),
    maxTokens: shares.summaryTokens,
    tokensOf: options.tokensOfText,
    form: policy.summary,
    ...(shares.lineTokens > 0 ? { lines: linesWanted(before, plan, shares.lineTokens) } : {}),
    ...defined({ previous, focus: options.focus, live: options.live }),
  };
}

/** What the model will see beside the page: kept messages with their edits made. */
function linesWanted({ transcript, addresses }: View, plan: Plan, maxTokens: number): LinesWanted {
  const edits = new Map(plan.edits.map((edit) => [addressKey(edit.at), edit]));
  const last = largest(plan.folded);
  const staying: Message[] = [];
  const behind: Message[] = [];
  for (const [index, message] of transcript.messages.entries()) {
    if (addresses[index]?.length === 0) continue;
    const parts = message.parts.flatMap((part, place): Part | readonly Part[] => {
      const at = addresses[index]?.[place];
      const edit = at && edits.get(addressKey(at));
      if (!edit) return part;
      return edit.kind === "fold" || edit.kind === "drop" ? NOTHING : withText(part, edit.text);
    });
    if (parts.length > 0) (index <= last ? staying : behind).push({ ...message, parts });
  }
  return { staying, behind, maxTokens };
}

const NOTHING: readonly Part[] = [];

/** A page of ours that came back as a message is merged, never summarized. */
function ownPageAt({ addresses }: View, index: number, { ownPages }: Summing): Summary | undefined {
  return addresses[index]?.flatMap(({ ref }) => ownPages?.get(ref) ?? [])[0];
}

function withoutOwnPages(message: Message, at: readonly Address[], { ownPages }: Summing): Message {
  const isOwn = (place: number) => at[place] !== undefined && ownPages?.has(at[place].ref) === true;
  if (!message.parts.some((_, place) => isOwn(place))) return message;
  return { ...message, parts: message.parts.filter((_, place) => !isOwn(place)) };
}

/** Some systems show their summarizer only the end of what leaves. */
function newestOf(messages: readonly Message[], { policy, room, tokensOfText }: Summing): readonly Message[] {
  const { source } = policy.summary;
  if (!source) return messages;
  const maxTokens = tokensIn(source, room);
  let tokens = 0;
  const from = messages.findLastIndex((message) => {
    tokens += tokensOfText(materialOf([message]));
    return tokens > maxTokens;
  });
  return messages.slice(from + 1);
}

interface Chosen {
  readonly summarizer?: Summarizer;
  readonly notes: readonly string[];
}

function chosen(options: Summing): Chosen {
  const { by, byWhenAsked } = options.policy.summary;
  const isAsked = options.trigger === "manual" || options.trigger === "agent";
  const asked = isAsked && byWhenAsked ? byWhenAsked : by;
  switch (asked) {
    case "none":
      return { notes: [] };
    case "extractive":
      return { summarizer: extractive, notes: [] };
    case "configured":
      return { summarizer: options.summarizer ?? extractive, notes: [] };
    case "fast-model":
      return modelOr(options.summarizer, options);
    case "same-model":
      return modelOr(options.fullSummarizer ?? options.summarizer, options);
  }
}

/** A system that has a model write its summaries does so here where one is configured; else that is said. */
function modelOr(summarizer: Summarizer | undefined, { policy }: Summing): Chosen {
  if (summarizer && summarizer !== extractive) return { summarizer, notes: [] };
  const note = `${policy.name} has a model write its summary; none is configured, so the extractor wrote it.`;
  return { summarizer: extractive, notes: [note] };
}
