/**
 * The user's words stay, but a log pasted into a message is no word of theirs: a huge paste keeps head and tail and a
 * ref to the rest. When the user's messages alone no longer fit, the oldest keep their directives verbatim and a ref.
 * The newest message of the user is what is being worked on, and is left alone by both.
 */
import { directivesIn } from "../../transcript/directives.ts";
import type { TextPart } from "../../transcript/message.ts";
import type { Place } from "../../transcript/pairs.ts";
import { descriptionOf } from "../describe-part.ts";
import type { UserPastesRule } from "../policy.ts";
import { endsOf } from "../previews/ends.ts";
import {
  addressAt,
  isOwnPage,
  isPinned,
  isUserPart,
  type PlacedPart,
  type Proposal,
  type Situation,
  savingOf,
} from "../situation.ts";
import { shortenedText, withoutStubs } from "../stub.ts";

export function proposeUserPastes(situation: Situation, rule: UserPastesRule): readonly Proposal[] {
  return userTexts(situation).flatMap(({ part, place, tokens }) => {
    if (tokens < rule.minTokens) return [];
    const directives = lostDirectives(part.text, endsOf(part.text, rule));
    return proposeShortened(
      situation,
      { part, place },
      { why: "a long paste", kept: `${endsOf(part.text, rule)}${directives}` },
    );
  });
}

/** What the user said, in all. */
export function userTokens(situation: Situation): number {
  return tokensIn(userTexts(situation));
}

/** The oldest first, until enough is saved. */
export function proposeDirectives(situation: Situation, overTokens: number): readonly Proposal[] {
  const proposals: Proposal[] = [];
  let saved = 0;
  for (const { part, place } of userTexts(situation)) {
    if (saved >= overTokens) break;
    const kept = directivesIn(withoutStubs(part.text)).join("\n");
    for (const made of proposeShortened(
      situation,
      { part, place },
      { why: "the user's words no longer fit", kept },
    )) {
      proposals.push(made);
      saved += made.edit.tokens;
    }
  }
  return proposals;
}

/**
 * Where the words take more than their share: the user's oldest first, then what the harness said before the model spoke,
 * and the newest message last of all: by its ends, with its directives. Nobody is quoted in other words.
 */
export function proposeShorterWords(situation: Situation, overTokens: number): readonly Proposal[] {
  const older = proposeDirectives(situation, overTokens);
  const left = overTokens - older.reduce((sum, { edit }) => sum + edit.tokens, 0);
  return [...older, ...endsUntil(situation, [...openingTexts(situation), ...newestTexts(situation)], left)];
}

/** What the harness said before the model spoke, where it takes more than so many tokens. */
export function proposeShorterOpening(situation: Situation, maxTokens: number): readonly Proposal[] {
  const texts = openingTexts(situation);
  return endsUntil(situation, texts, tokensIn(texts) - maxTokens);
}

function endsUntil(
  situation: Situation,
  texts: readonly PlacedText[],
  overTokens: number,
): readonly Proposal[] {
  const proposals: Proposal[] = [];
  let left = overTokens;
  for (const placed of texts) {
    if (left <= 0) break;
    const made = proposeEnds(situation, placed, left);
    proposals.push(...made);
    left -= made.reduce((sum, { edit }) => sum + edit.tokens, 0);
  }
  return proposals;
}

/** What the user said and what the harness said first: all that stays because it was said. */
export function wordsTokens(situation: Situation): number {
  return tokensIn(textsWhere(situation, isUsers)) + tokensIn(openingTexts(situation));
}

/** Directives stay whatever they take; of the rest as much of both ends as there is room for. */
function proposeEnds(situation: Situation, placed: PlacedText, overTokens: number): readonly Proposal[] {
  const { part } = placed;
  const text = withoutStubs(part.text);
  const directives = directivesIn(text).join("\n");
  const room = situation.tokensOf(part) - overTokens - situation.tokensOf({ ...part, text: directives });
  const ends = endsOf(text, {
    headTokens: Math.max(LEAST_ENDS, room * 0.6),
    tailTokens: Math.max(0, room * 0.3),
  });
  const lost = directivesIn(text).filter((sentence) => !ends.includes(sentence));
  const kept = [ends, ...(lost.length > 0 ? ["[from the middle:]", ...lost] : [])].join("\n");
  return proposeShortened(situation, placed, { why: "the words no longer fit", kept });
}

const LEAST_ENDS = 60;

/**
 * An instruction in the middle of a paste is still one. A paste is mostly output, in which every other line says "error"
 * or "cannot"; so only the first few.
 */
function lostDirectives(text: string, kept: string): string {
  const lost: string[] = [];
  for (const sentence of directivesIn(text)) {
    if (lost.length === MAX_DIRECTIVES) break;
    if (!kept.includes(sentence)) lost.push(sentence);
  }
  return lost.length === 0 ? "" : `\n[from the middle:]\n${lost.join("\n")}`;
}

const MAX_DIRECTIVES = 20;

interface PlacedText extends PlacedPart {
  readonly part: TextPart;
}

/** In order, without the last message that has any. */
function userTexts(situation: Situation): readonly PlacedText[] {
  const found = textsWhere(situation, isUsers);
  const last = found.at(-1)?.place.messageIndex;
  return found.filter(({ place }) => place.messageIndex !== last);
}

function newestTexts(situation: Situation): readonly PlacedText[] {
  const found = textsWhere(situation, isUsers);
  const last = found.at(-1)?.place.messageIndex;
  return found.filter(({ place }) => place.messageIndex === last);
}

function isUsers({ message, part }: PlacedPart): boolean {
  return isUserPart(message, part);
}

/** Of the harness, before the model spoke. */
function openingTexts(situation: Situation): readonly PlacedText[] {
  const { messages } = situation.transcript;
  const spoken = messages.findIndex(({ role }) => role === "assistant");
  const isBefore = ({ messageIndex }: Place) => spoken < 0 || messageIndex < spoken;
  return textsWhere(
    situation,
    (placed) => placed.message.role === "user" && isBefore(placed.place) && !isUsers(placed),
  );
}

function textsWhere(situation: Situation, test: (placed: PlacedPart) => boolean): readonly PlacedText[] {
  return situation.parts.filter((placed): placed is PlacedText => {
    if (placed.part.type !== "text" || !test(placed)) return false;
    // A page of ours is no words: it is replaced by the next one, or stays.
    const isLeft = isPinned(situation, placed.place) || isOwnPage(situation, placed.place);
    return !isLeft && addressAt(situation, placed.place) !== undefined;
  });
}

function tokensIn(texts: readonly PlacedText[]): number {
  return texts.reduce((total, { tokens }) => total + tokens, 0);
}

/** The words of a message shortened to what is kept of them, behind a stub; nothing where that saves nothing. */
export function proposeShortened(
  situation: Situation,
  { part, place }: Pick<PlacedText, "part" | "place">,
  { why, kept }: { readonly why: string; readonly kept: string },
): readonly Proposal[] {
  const at = addressAt(situation, place);
  if (!at) return [];
  const facts = { ref: at.ref, description: descriptionOf(part), why, tokens: situation.tokensOf(part) };
  const text = shortenedText(facts, kept).trimEnd();
  const tokens = savingOf(situation, part, text);
  if (tokens <= 0) return [];
  return [{ edit: { kind: "trim", at, why, tokens, text }, place, since: place.messageIndex }];
}
