/**
 * A page of ours that comes back as a message: `compact -o` wrote it into a file, and the file is compacted again. Its
 * summary is then merged, where any other text would be summarized, and lose at each turn. The model's line that led into
 * it goes with it.
 *
 * Trust: a page is known by the ledger, never by its looks. A text must be the page and nothing else, to the letter as the
 * ledger has it, in a message of whom the page is said by; other texts may stand beside it, because some wires join what one
 * speaker says in a row. A tool's output is no such text; what merely looks like a page, or a page somebody changed, is text.
 */
import type { Compaction, LedgerEntry } from "./plan/ledger.ts";
import type { Summary } from "./plan/summary.ts";
import type { Message, Part, TextPart, Transcript } from "./transcript/message.ts";
import { type Ref, refOf } from "./transcript/ref.ts";

export interface OwnPages {
  /** With each page marked as nobody's words: in a request body it stands there as if the user had said it. */
  readonly transcript: Transcript;
  readonly summaries: ReadonlyMap<Ref, Summary>;
}

export function recognisePages(transcript: Transcript, ledger: readonly LedgerEntry[]): OwnPages {
  const written = new Map(
    ledger.flatMap((entry) =>
      entry.kind === "compaction" && entry.page ? [[entry.page.text.trim(), entry] as const] : [],
    ),
  );
  const summaries = new Map<Ref, Summary>();
  if (written.size === 0) return { transcript, summaries };
  const pageOf = (part: Part | undefined, said: Message | undefined) => {
    const found = part?.type === "text" ? written.get(part.text.trim()) : undefined;
    return found && isSaidBy(found, said) ? found : undefined;
  };
  const messages = transcript.messages.map((message, index) => {
    const next = transcript.messages[index + 1];
    return withParts(message, (part) => {
      const page = pageOf(part, message) ?? ledInto(message, pageOf(next?.parts[0], next));
      if (part.type !== "text" || !page) return part;
      if (page.summary) summaries.set(refOf(part), page.summary);
      return part.synthetic ? part : { ...part, synthetic: true as const };
    });
  });
  const isSame = messages.every((message, index) => message === transcript.messages[index]);
  return { transcript: isSame ? transcript : { ...transcript, messages }, summaries };
}

/** The page that stands next, where this message is the line before it. */
function ledInto(message: Message, next: Compaction | undefined): Compaction | undefined {
  const isLine = message.role === "assistant" && onlyText(message)?.text.trim() === next?.page?.leadIn;
  return isLine ? next : undefined;
}

/** The same object where no part is another. */
function withParts(message: Message, change: (part: Part) => Part): Message {
  const parts = message.parts.map(change);
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

/** Texts that could be a page: what names no ref is none. */
export function possiblePages({ messages }: Transcript): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && REF.test(part.text) ? [part.text] : [])),
  );
}

const REF = /\bref_[0-9a-hjkmnp-tv-z]{12}\b/;

function onlyText({ parts }: Message): TextPart | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.type === "text" ? part : undefined;
}

function isSaidBy({ page }: Compaction, message: Message | undefined): boolean {
  return message !== undefined && message.role === page?.role;
}
