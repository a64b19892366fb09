/** A file: its first lines and its declarations, each with the line it stands on, so that the rest can be asked for by line. */
import { showLines } from "./shown-lines.ts";

const DECLARATION =
  /^\s{0,8}(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|override|virtual|inline|pub(?:\([^)]*\))?|unsafe|extern|const|declare)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|impl|mod|module|namespace|def|fn|func|fun|object|record|protocol|extension|macro_rules!|sub|package|describe|test|it)\b[\s("'`]/;
const ASSIGNED = /^(?:export\s+)?(?:const|let|var|val)\s+[\w$]+.*(?:=>|function|=\s*[[{(]\s*$)/;
const HEADING = /^(#{1,6}\s|\[[\w.\-" ]+\]\s*$|={3,}|CREATE\s+(TABLE|INDEX|VIEW|FUNCTION)\b)/i;
/** How harnesses number lines: `   12→text`, `12\ttext`, `12: text`, `12| text`. */
const NUMBER = /\s*\d{1,7}(?:→|\t|: |\| ?)/y;
/** Deeper than any declaration stands, or blank. */
const DEEP = /\s{9}|\s*$/y;

const HEAD_LINES = 15;

export interface OutlineOptions {
  readonly firstLine: number;
  readonly maxTokens: number;
}

export function outlinePreview(text: string, { firstLine, maxTokens }: OutlineOptions): string | undefined {
  const raw = text.split("\n");
  if (raw.length < HEAD_LINES * 2) return undefined;
  const isNumbered = areNumbered(raw);
  const shown: number[] = [];
  for (let index = 0; index < raw.length; index += 1) {
    const line = raw[index] ?? "";
    if (index < HEAD_LINES || isDeclaration(line, isNumbered ? numberEnd(line) : 0)) shown.push(index);
  }
  if (shown.length <= HEAD_LINES) return undefined;
  const lines = isNumbered ? raw : raw.map((line, index) => `${firstLine + index}\t${line}`);
  return `File of ${raw.length} lines; its start and declarations:\n${showLines({ lines, shown, maxTokens })}`;
}

/** More than half of them. */
function areNumbered(lines: readonly string[]): boolean {
  let numbered = 0;
  for (const line of lines) if (numberEnd(line) > 0) numbered += 1;
  return numbered > lines.length / 2;
}

/** Where its number ends, so that no line is cut to be looked at; 0 where it has none. */
function numberEnd(line: string): number {
  NUMBER.lastIndex = 0;
  return NUMBER.test(line) ? NUMBER.lastIndex : 0;
}

function isDeclaration(line: string, from: number): boolean {
  DEEP.lastIndex = from;
  if (DEEP.test(line)) return false;
  const start = line.slice(from, from + 300);
  return DECLARATION.test(start) || ASSIGNED.test(start) || HEADING.test(start);
}
