/**
 * The short text left where a part was: its ref, what it was, why it went, how to read it. Rare brackets set it apart,
 * so that the guard against writing stubs into files finds them and little else. Nothing but the guard reads stubs:
 * edits are addressed by content, so a forged one in some output changes nothing but its own part.
 *
 * The wording lives here and not beside the view, because an edit carries its text: the ledger must give the same bytes
 * when a later version words its stubs otherwise.
 */
import { shortenMiddle } from "../transcript/describe.ts";
import { isRef, type Ref } from "../transcript/ref.ts";

const OPEN = "⟦";
const CLOSE = "⟧";

export interface StubFacts {
  readonly ref: Ref;
  readonly description: string;
  readonly why: string;
  readonly tokens: number;
}

export function stubText({ ref, description, why, tokens }: StubFacts): string {
  return `${OPEN}${ref} ${plain(description, 90)}; ${tokens} tokens; ${plain(why, 60)}. Use read_ref.${CLOSE}`;
}

/** The ref alone: the least a pointer can say. */
export function opaqueStubText(ref: Ref): string {
  return `${OPEN}${ref} Use read_ref.${CLOSE}`;
}

/** Part of the content stays: the stub stands before it and says so. */
export function shortenedText(facts: StubFacts, kept: string): string {
  return `${stubText(facts)}\n${kept}`;
}

/** What tools print must not close the stub, open another, or break the line. */
function plain(text: string, chars: number): string {
  return shortenMiddle(text.replaceAll(/[⟦⟧]/g, ""), chars);
}

const STUB = /⟦(ref_[0-9a-hjkmnp-tv-z]{12}) [^⟦⟧]*Use read_ref\.⟧/g;

/** Whether the text is a stub and nothing else. */
export function isStub(text: string): boolean {
  return new RegExp(`^${STUB.source}$`).test(text.trim());
}

export function stubsIn(text: string): readonly Ref[] {
  if (!text.includes(OPEN)) return [];
  return [...text.matchAll(STUB)].flatMap(([, ref = ""]) => (isRef(ref) ? [ref] : []));
}

/** The text as it was before we said anything in it. */
export function withoutStubs(text: string): string {
  return text.includes(OPEN) ? text.replaceAll(STUB, "") : text;
}
