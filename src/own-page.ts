/**
 * A page of ours that comes back as a message: `compact -o` wrote it into a file, and the file is compacted again. Its
 * summary is then merged, where any other text would be summarized, and lose at each turn. The model's line that led into
 * it goes with it.
 *
 * Trust: a page is known by the ledger, never by its looks. The message must be the page and nothing else, to the letter
 * as the ledger has it, said by whom the page is said. A tool's output is no such message; text that merely looks like a
 * page, or a page somebody changed, is text.
 */
import type { Compaction, LedgerEntry } from "./plan/ledger.ts";
import type { Summary } from "./plan/summary.ts";
import type { Message, TextPart, Transcript } from "./transcript/message.ts";
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
  const pageIn = (message: Message | undefined) => {
    const found = message && written.get(onlyText(message)?.text.trim() ?? "");
    return found && isSaidBy(found, message) ? found : undefined;
  };
  const messages = transcript.messages.map((message, index) => {
    const page = pageIn(message) ?? ledInto(message, pageIn(transcript.messages[index + 1]));
    const part = onlyText(message);
    if (!part || !page) return message;
    if (page.summary) summaries.set(refOf(part), page.summary);
    return part.synthetic ? message : { ...message, parts: [{ ...part, synthetic: true as const }] };
  });
  const isSame = messages.every((message, index) => message === transcript.messages[index]);
  return { transcript: isSame ? transcript : { ...transcript, messages }, summaries };
}

/** The page that stands next, where this message is the line before it. */
function ledInto(message: Message, next: Compaction | undefined): Compaction | undefined {
  const isLine = message.role === "assistant" && onlyText(message)?.text.trim() === next?.page?.leadIn;
  return isLine ? next : undefined;
}

/** Texts that could be a page: what names no ref is none. */
export function possiblePages({ messages }: Transcript): readonly string[] {
  return messages.flatMap((message) => {
    const text = onlyText(message)?.text ?? "";
    return REF.test(text) ? [text] : [];
  });
}

const REF = /\bref_[0-9a-hjkmnp-tv-z]{12}\b/;

function onlyText({ parts }: Message): TextPart | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.type === "text" ? part : undefined;
}

function isSaidBy({ page }: Compaction, { role }: Message): boolean {
  return role === page?.role;
}
