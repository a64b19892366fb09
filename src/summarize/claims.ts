/**
 * The claims of a line: whatever in it could be right or wrong and can be looked up. Quotes, paths, numbers, refs and
 * names that are spelled like code; plain words are not claims, they only say how the claims belong together.
 */
export interface Claim {
  readonly kind: "quote" | "path" | "number" | "name";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Longest marks first. A quote may hold the other kinds of marks; an apostrophe does not open one. */
const QUOTE = /“([^”]+)”|"([^"]+)"|``(.+?)``|`([^`]+)`/g;
const WORD = /[^\s“”"`()[\]{}<>,;!?]+/g;

export function claimsOf(text: string): readonly Claim[] {
  const claims: Claim[] = [];
  let from = 0;
  for (const quote of quotesOf(text)) {
    claims.push(...claimsInProse(text.slice(from, quote.start), from), quote);
    from = quote.end;
  }
  claims.push(...claimsInProse(text.slice(from), from));
  return claims;
}

/** These alone, for whom the rest is not asked: reading the words between them costs most. */
export function quotesOf(text: string): readonly Claim[] {
  const quotes: Claim[] = [];
  // Not `matchAll`, which makes a pattern of its own for each text.
  QUOTE.lastIndex = 0;
  for (let found = QUOTE.exec(text); found; found = QUOTE.exec(text)) {
    const words = found[1] ?? found[2] ?? found[3] ?? found[4] ?? "";
    quotes.push({ kind: "quote", text: words, start: found.index, end: found.index + found[0].length });
  }
  return quotes;
}

function claimsInProse(prose: string, offset: number): readonly Claim[] {
  return [...prose.matchAll(WORD)].flatMap((found): readonly Claim[] => {
    const word = found[0].replace(/^['’*_]+|['’.:*_…]+$/g, "");
    const kind = kindOf(word);
    if (kind === undefined) return [];
    const start = offset + found.index + found[0].indexOf(word);
    return [{ kind, text: word, start, end: start + word.length }];
  });
}

function kindOf(word: string): Claim["kind"] | undefined {
  if (/^ref_\w+$/.test(word)) return "name";
  if (/^[#$~+-]?\d[\d.,:_%]*(?:[a-z]{1,3}|×)?$/i.test(word)) return "number";
  if (
    /^[\w.@~-]*\/[\w./@~:-]*\w|^[\w-]+\.[a-z]{1,4}(?::\d+)?$|^https?:/i.test(word) &&
    !/^(?:and|or|and\/or|n\/a)$/i.test(word) &&
    /[a-z]/i.test(word)
  )
    return "path";
  const isCode = /[a-z][A-Z]|\w_\w|::|\w\.\w+\(|\(\)$|^[A-Z]{2,}\d|^[A-Z]+_[A-Z_]+$|\d/.test(word);
  return isCode ? "name" : undefined;
}
