/**
 * `view(transcript, ledger)`: what the model is sent. Pure and deterministic: the same history and ledger give the same
 * bytes, so the prompt cache keeps hitting; messages no edit touches are the same objects that came in.
 *
 * Stubs, trims and drops apply one by one, wherever their part is. A fold applies whole or not at all: its page tells of
 * everything that was folded, and would lie in a history that was rewound into the middle of it. Of several folds the
 * latest that applies shows its page, because each page integrates the one before. A page without a fold is a table of
 * what was cut: it stands behind the last part that was, or at the end as that was then, and only until the next page.
 */
import { cutsOf } from "../plan/cuts.ts";
import { type Address, addressKey, type Edit } from "../plan/edit.ts";
import type { Compaction, LedgerEntry, Page } from "../plan/ledger.ts";
import { withText } from "../plan/with-text.ts";
import type { Message, Part, Transcript } from "../transcript/message.ts";
import { pairUp } from "../transcript/pairs.ts";
import { isSealed } from "../transcript/prefix.ts";
import { addressesIn } from "../transcript/ref.ts";
import { lastResponse, stepsOf } from "../transcript/turns.ts";

export interface View {
  readonly transcript: Transcript;
  /** Where each part of each message of the view stands in the history; empty for the page. */
  readonly addresses: Addresses;
  /** The address of every part of the history. */
  readonly history: Addresses;
  /** The compaction whose page is shown. */
  readonly folded?: Compaction;
  /** Compactions of which at least one edit applies, oldest first. */
  readonly applied: readonly Compaction[];
}

type Addresses = readonly (readonly Address[])[];

export function view(transcript: Transcript, ledger: readonly LedgerEntry[]): Transcript {
  return viewOf(transcript, ledger).transcript;
}

/** @param history of this transcript, where they are known: whoever looks twice need not address it twice */
export function viewOf(
  transcript: Transcript,
  ledger: readonly LedgerEntry[],
  history: Addresses = addressesIn(transcript),
): View {
  return showing(transcript, history, standingCompactions(ledger));
}

function showing(transcript: Transcript, history: Addresses, standing: readonly Compaction[]): View {
  const present = new Set<string>();
  for (const addresses of history) for (const at of addresses) present.add(addressKey(at));
  const folds = applyingFolds(standing, present);
  const gone = new Set(folds.flatMap(foldsOf));
  const edits = editsByAddress(standing);
  const notFolding = standing.filter((compaction) => !folds.includes(compaction));
  const unsealed = unsealedBy(notFolding, present);
  const first = standing.findIndex(takesFrom(thoughtsInProgress(transcript, history), notFolding));
  if (first >= 0) return showing(transcript, history, standing.slice(0, first));
  const rows = transcript.messages.map((message, index) =>
    rowOf({ message, index, addresses: history[index] ?? [] }, { gone, edits, unsealed }),
  );
  const folded = folds.at(-1);
  const table = standingTable(standing, folded, present);
  const placed = withPage(rows, folded?.page, messageOf(folded?.page?.behind, history));
  const shown = withTable(placed, table, messageOf(table?.page?.behind, history));
  const messages = shown.map(({ message }) => message);
  return {
    transcript: withMessages(transcript, messages),
    addresses: shown.map(({ addresses }) => addresses),
    history,
    ...(folded ? { folded } : {}),
    applied: standing.filter((compaction) => folds.includes(compaction) || isEditing(compaction, present)),
  };
}

/** Whether anything of it but a fold applies. */
function isEditing({ edits }: Compaction, present: ReadonlySet<string>): boolean {
  return edits.some(({ kind, at }) => kind !== "fold" && present.has(addressKey(at)));
}

/** The same object where nothing changed. */
function withMessages(transcript: Transcript, messages: readonly Message[]): Transcript {
  const isSame =
    messages.length === transcript.messages.length &&
    messages.every((message, index) => message === transcript.messages[index]);
  return isSame ? transcript : { ...transcript, messages };
}

/**
 * The sealed thinking of a response whose calls wait for an answer: as long as they do, it must stand, and so must all that
 * stood before it when it was made.
 */
function thoughtsInProgress(transcript: Transcript, history: Addresses): ReadonlySet<string> {
  const { start, end } = lastResponse(transcript) ?? { start: 0, end: 0 };
  const response = transcript.messages.slice(start, end);
  if (!response.some(({ parts }) => parts.some(({ type }) => type === "tool-call"))) return new Set();
  const thoughts = response.flatMap(({ parts }, index) =>
    parts.flatMap((part, place) => {
      const at = history[start + index]?.[place];
      return at && part.type === "thinking" && isSealed(part) ? [addressKey(at)] : [];
    }),
  );
  return new Set(thoughts);
}

/**
 * A rewind may end in the middle of a step that was over when its thinking was dropped, and now waits again. Then the
 * compaction that dropped it does not apply, and neither does any that came after: the thinking was made before them.
 */
function takesFrom(thoughts: ReadonlySet<string>, notFolding: readonly Compaction[]) {
  return (compaction: Compaction): boolean =>
    thoughts.size > 0 &&
    compaction.edits.some(
      ({ kind, at }) =>
        (kind === "drop" || (kind === "fold" && notFolding.includes(compaction))) &&
        thoughts.has(addressKey(at)),
    );
}

/** The compactions that were not undone, oldest first. One that was undone and made again stands again. */
export function standingCompactions(ledger: readonly LedgerEntry[]): readonly Compaction[] {
  const standing = new Map<string, Compaction>();
  for (const entry of ledger) {
    if (entry.kind === "compaction") standing.set(entry.id, entry);
    if (entry.kind === "undo") standing.delete(entry.of);
  }
  return [...standing.values()];
}

function applyingFolds(standing: readonly Compaction[], present: ReadonlySet<string>): readonly Compaction[] {
  const applying = new Map<string, Compaction>();
  for (const compaction of standing) {
    const keys = foldsOf(compaction);
    const isGrounded = compaction.after === undefined || applying.has(compaction.after);
    if (keys.length > 0 && isGrounded && keys.every((key) => present.has(key)))
      applying.set(compaction.id, compaction);
  }
  return [...applying.values()];
}

function foldsOf({ edits }: Compaction): readonly string[] {
  return edits.flatMap(({ kind, at }) => (kind === "fold" ? [addressKey(at)] : []));
}

/** A later edit of the same part takes the place of an earlier one: a trim may become a stub. */
function editsByAddress(standing: readonly Compaction[]): ReadonlyMap<string, Edit> {
  const edits = new Map<string, Edit>();
  for (const compaction of standing)
    for (const edit of compaction.edits) if (edit.kind !== "fold") edits.set(addressKey(edit.at), edit);
  return edits;
}

/**
 * Where a fold does not apply but stubs of the same compaction do, the thinking it would have folded was sealed for what
 * those stubs changed: it goes.
 */
function unsealedBy(notFolding: readonly Compaction[], present: ReadonlySet<string>): ReadonlySet<string> {
  const editing = notFolding.filter((compaction) => isEditing(compaction, present));
  return new Set(editing.flatMap(foldsOf));
}

interface Row {
  readonly message: Message;
  readonly addresses: readonly Address[];
  /** Of the message in the history; of a page, of the one it stands behind. */
  readonly index: number;
}

interface Standing {
  readonly gone: ReadonlySet<string>;
  readonly unsealed: ReadonlySet<string>;
  readonly edits: ReadonlyMap<string, Edit>;
}

/** A message as the edits leave it; no row where nothing is left, and whether the page belongs behind it. */
function rowOf(row: Row, standing: Standing): { readonly row?: Row; readonly isFolded: boolean } {
  if (!isTouched(row, standing)) return { row, isFolded: false };
  const { message } = row;
  const { gone, edits, unsealed } = standing;
  const parts: Part[] = [];
  const addresses: Address[] = [];
  let isFolded = false;
  for (const [index, at] of row.addresses.entries()) {
    const part = message.parts[index];
    const key = addressKey(at);
    const edit = edits.get(key);
    const isThought = part?.type === "thinking" && unsealed.has(key);
    if (gone.has(key)) isFolded = true;
    if (!part || gone.has(key) || edit?.kind === "drop" || isThought) continue;
    parts.push(edit && edit.kind !== "fold" ? withText(part, edit.text) : part);
    addresses.push(at);
  }
  if (parts.length === 0) return { isFolded };
  return { row: { ...row, message: { ...message, parts }, addresses }, isFolded };
}

function isTouched({ message, addresses }: Row, { gone, edits, unsealed }: Standing): boolean {
  for (const [index, at] of addresses.entries()) {
    const key = addressKey(at);
    if (gone.has(key) || edits.has(key)) return true;
    if (message.parts[index]?.type === "thinking" && unsealed.has(key)) return true;
  }
  return false;
}

/** Behind which message of the history a page stands; −1 where its place is told by what it is about. */
function messageOf(behind: Address | undefined, history: Addresses): number {
  const key = behind && addressKey(behind);
  if (key === undefined) return -1;
  return history.findIndex((addresses) => addresses.some((at) => addressKey(at) === key));
}

function withPage(
  rows: readonly ReturnType<typeof rowOf>[],
  page: Page | undefined,
  behind: number,
): readonly Row[] {
  const place = behind < 0 ? rows.findLastIndex(({ isFolded }) => isFolded) : behind;
  const shown = (some: typeof rows) => some.flatMap(({ row }) => row ?? []);
  const before = shown(rows.slice(0, place + 1));
  return [...before, ...pageRows(page, place, before), ...shown(rows.slice(place + 1))];
}

/** The latest page without a fold; not one that a later fold integrated, nor one that tells of parts no longer there. */
function standingTable(
  standing: readonly Compaction[],
  folded: Compaction | undefined,
  present: ReadonlySet<string>,
): Compaction | undefined {
  const since = folded ? standing.slice(standing.indexOf(folded) + 1) : standing;
  return since.findLast(
    (compaction) =>
      compaction.page !== undefined &&
      foldsOf(compaction).length === 0 &&
      compaction.edits.every(({ at }) => present.has(addressKey(at))),
  );
}

/** At the next place where a conversation may be cut, never between call and result: behind the last part it tells of. */
function withTable(rows: readonly Row[], table: Compaction | undefined, behind: number): readonly Row[] {
  if (!table) return rows;
  const told = new Set(table.edits.flatMap(({ kind, at }) => (kind === "drop" ? [] : [addressKey(at)])));
  const last =
    behind < 0
      ? rows.findLastIndex(({ addresses }) => addresses.some((at) => told.has(addressKey(at))))
      : rows.findLastIndex(({ index }) => index <= behind);
  const transcript = { messages: rows.map(({ message }) => message) };
  const cuts = cutsOf({ transcript, pairing: pairUp(transcript), steps: stepsOf(transcript) });
  const place = cuts.findIndex((isCut, index) => isCut && index > last);
  // Calls still run at the end: the table waits for their results.
  if (last < 0 || place < 0) return rows;
  const before = rows.slice(0, place);
  return [...before, ...pageRows(table.page, last, before), ...rows.slice(place)];
}

function pageRows(page: Page | undefined, index: number, before: readonly Row[]): readonly Row[] {
  if (!page) return [];
  const said = (role: Page["role"], text: string): Row => ({
    message: { role, parts: [{ type: "text", text, synthetic: true }] },
    addresses: [],
    index,
  });
  const last = before.findLast(({ message }) => message.role !== "system");
  const isLedInto = last !== undefined && last.message.role !== "assistant";
  return [
    ...(page.leadIn === undefined || !isLedInto ? [] : [said("assistant", page.leadIn)]),
    said(page.role, page.text),
    ...(page.acknowledgement === undefined ? [] : [said("assistant", page.acknowledgement)]),
  ];
}
