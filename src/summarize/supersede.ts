/**
 * Of rules in the user's words, those that a later one takes back. Certain only where the later one names the value it
 * does away with ("make it 8 attempts, not 5", "instead of X") and a single earlier rule has that value. The earlier
 * then stands behind the later, as what it was: the rest of it may still hold.
 */
import type { SummaryLine } from "../plan/summary.ts";
import { unionOfRefs } from "./line.ts";

const BEHIND = " — in place of: ";

export function supersede(lines: readonly SummaryLine[]): readonly SummaryLine[] {
  const standing: SummaryLine[] = [];
  for (const line of lines) {
    const values = takenBack(line.text);
    const old = values.flatMap((value) => holders(standing, value));
    const [earlier] = old;
    if (earlier === undefined || new Set(old).size !== 1 || earlier.text === ruleOf(line.text)) {
      standing.push(line);
      continue;
    }
    standing.splice(standing.indexOf(earlier), 1);
    standing.push({
      ...line,
      text: `${ruleOf(line.text)}${BEHIND}${ruleOf(earlier.text)}`,
      refs: unionOfRefs(line.refs, earlier.refs),
    });
  }
  return standing;
}

/** The rule itself, without what it replaced: what makes two lines the same rule. */
export function ruleOf(text: string): string {
  const at = text.indexOf(BEHIND);
  return at < 0 ? text : text.slice(0, at);
}

function takenBack(text: string): readonly string[] {
  const rule = ruleOf(text);
  const isCorrection =
    /\b(correction|actually|instead|no longer|changed my mind|on second thought|I meant)\b/i.test(rule);
  const numbers = [...rule.matchAll(/\b\d[\d.]*\b[^.;]*?,? (?:not|instead of|rather than) (\d[\d.]*)\b/g)];
  const words = isCorrection
    ? [...rule.matchAll(/\b(?:not|instead of|rather than) [`'"]?([\w./-]{2,})[`'"]?/g)]
    : [];
  return [...numbers, ...words].flatMap(([, value]) =>
    value === undefined ? [] : [value.replace(/\.$/, "")],
  );
}

function holders(lines: readonly SummaryLine[], value: string): readonly SummaryLine[] {
  const pattern = new RegExp(`(?<![\\w.])${value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w]|\\.\\w)`);
  return lines.filter(({ text }) => pattern.test(ruleOf(text)));
}
