/**
 * The sentences of a text that tell someone what to do or not to do: instructions, constraints, preferences, denials.
 * They are found, never rewritten: what comes out is a piece of what went in.
 *
 * A word list, not understanding. It rather takes a sentence too many than one too few, because a rule that is dropped
 * costs more than a line that is kept. Fenced code and quoted output are not the user speaking and are passed over.
 */

/** A longer one is no sentence but a paste without full stops. */
const MAX_CHARS = 600;

export function directivesIn(text: string): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const sentence of sentencesOf(text)) {
    if (sentence.length > MAX_CHARS || !isDirective(sentence) || seen.has(sentence)) continue;
    seen.add(sentence);
    found.push(sentence);
  }
  return found;
}

export function isDirective(sentence: string): boolean {
  return BINDING.test(sentence) || isOrder(sentence);
}

/** Words that bind wherever they stand in a sentence; the languages are those people were seen to write to agents in. */
const BINDING = new RegExp(
  [
    "\\b(must|never|always|only|should|shall|cannot|can['’]?t|don['’]?t|do not|does not|doesn['’]?t|won['’]?t|shouldn['’]?t|mustn['’]?t)\\b",
    "\\b(instead of|rather than|make sure|ensure|be sure|remember|avoid|prefer|require[sd]?|forbidden|not allowed|no need to|under no circumstances|at least|at most|no more than|keep|without|stop|wrong|unless|from now on|i want|i need|we need|please)\\b",
    "\\b(muss|müssen|niemals|nie|immer|nicht|kein(e|en|er|es)?|nur|soll(en|te|st)?|bitte|statt|vermeide[n]?|ohne)\\b",
    "\\b(nunca|siempre|debes?|deben|sin|solo|sólo|evita|jamais|toujours|doit|devez|sans|évite[rz]?|sempre|mai|deve|senza)\\b",
    "不要|必须|禁止|请|只能|务必|してください|しないで|必ず|禁止|нельзя|всегда|никогда|должен|нужно|не надо",
  ].join("|"),
  "iu",
);

/** An order begins with what to do; a list mark or a politeness may stand before it. */
const ORDER =
  /^(?:[-*•]\s+|\d+[.)]\s+)?(?:(?:now|then|also|and|first|next|ok|okay|no|so)[,:]?\s+)*(?:add|analy[sz]e|apply|ask|build|call|change|check|clean|close|commit|compare|confirm|consider|convert|copy|create|debug|delete|deploy|describe|disable|do|document|edit|enable|exclude|explain|explore|extract|find|finish|fix|focus|follow|generate|give|go|handle|ignore|implement|include|inspect|install|investigate|leave|let|list|look|make|mark|merge|migrate|move|name|note|open|pick|print|push|put|read|rebase|redo|reduce|refactor|remove|rename|repeat|replace|report|reproduce|rerun|reset|resolve|return|revert|review|rewrite|run|save|search|send|set|show|simplify|skip|split|start|summari[sz]e|support|switch|tell|test|think|try|undo|update|upgrade|use|validate|verify|wait|work|write)\b/i;

function isOrder(sentence: string): boolean {
  return ORDER.test(sentence);
}

/** In order, trimmed. A line ends a sentence; so does a full stop that white space follows. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced && !/^\s*(>|\|)/.test(line)) sentences.push(...splitLine(line));
  }
  return sentences;
}

/** A line far longer than any paragraph is data; looking for sentences in a megabyte of it would find none. */
const MAX_LINE_CHARS = 20_000;

function splitLine(line: string): readonly string[] {
  if (line.length > MAX_LINE_CHARS) return [];
  return line
    .split(/(?<=[.!?。！？]["'”’)]?)\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
