/** All probes of one cut: what was said before it, and of that what the agent needed after it. */
import type { Message } from "palimpsest";
import { toolUse } from "palimpsest";
import { hashOf, sample } from "../cases/seeded.ts";
import type { AtomKind } from "./atoms.ts";
import { Askable, anchorsOf, askedBy, type Fact, factsIn } from "./facts.ts";
import { mineFiles } from "./mine-files.ts";
import { mineCommands, mineErrors } from "./mine-results.ts";
import { mineUpdates } from "./mine-updates.ts";
import { mineDecisions, mineDirectives } from "./mine-words.ts";
import { type Future, neededAfter, usedAfter } from "./needed.ts";
import type { AtomProbe, Probe, ProbeSet, ProbeType } from "./probe.ts";

const MOST_OF_A_KIND = 40;
const MOST_NEEDED = 200;
const MOST_USED = 300;

/** Probes of everything before `future.from`. */
export function mineProbes(future: Future): readonly Probe[] {
  const messages = future.messages.slice(0, future.from);
  const facts = factsIn(messages);
  const drawing = { facts, messages, askable: new Askable(messages) };
  return [
    ...mineFiles(messages),
    ...mineErrors(messages, drawing.askable),
    ...mineCommands(messages),
    ...drawn("number", ["number"], drawing),
    ...drawn("reference", ["hash", "url", "issue"], drawing),
    ...identifiers(drawing),
    ...mineDirectives(messages),
    ...mineDecisions(messages),
    ...mineUpdates(messages),
    ...neededProbes(drawing, future),
    ...absentProbes(drawing, future),
  ];
}

/** Facts the agent used again after a native compaction, of what that removed. */
export function mineUsed(future: Future, removed: readonly Message[]): readonly AtomProbe[] {
  const facts = factsIn(removed);
  const used = sample(usedAfter(facts, future), MOST_USED, (value) => value);
  return used.flatMap((value) =>
    probeOf(facts.get(value), { type: "number", sets: ["NEEDED"], of: removed.length }),
  );
}

interface Drawing {
  readonly facts: ReadonlyMap<string, Fact>;
  readonly messages: readonly Message[];
  readonly askable: Askable;
}

function drawn(
  type: ProbeType,
  kinds: readonly AtomKind[],
  { facts, messages, askable }: Drawing,
): readonly AtomProbe[] {
  const candidates = [...facts.values()].filter(({ kind }) => kinds.includes(kind));
  // Only of some of them: the question is costly, and a session has thousands of numbers.
  const some = sample(candidates, 4 * MOST_OF_A_KIND, ({ value }) => value).filter((fact) =>
    askable.has(fact),
  );
  return some
    .slice(0, MOST_OF_A_KIND)
    .flatMap((fact) => probeOf(fact, { type, sets: ["ALL"], of: messages.length }));
}

/** Names the agent's edits introduced, and names the user spoke. */
function identifiers({ facts, messages, askable }: Drawing): readonly AtomProbe[] {
  const isOurs = (fact: Fact) =>
    fact.places.some(({ part, messageIndex }) =>
      part.type === "tool-call"
        ? ["edit", "write"].includes(toolUse(part).does)
        : part.type === "text" && part.synthetic !== true && messages[messageIndex]?.role === "user",
    );
  const named = [...facts.values()].filter((fact) => fact.kind === "identifier" && isOurs(fact));
  return sample(
    named.filter((fact) => askable.has(fact)),
    MOST_OF_A_KIND,
    ({ value }) => value,
  ).flatMap((fact) => probeOf(fact, { type: "identifier", sets: ["ALL"], of: messages.length }));
}

const TYPES: Readonly<Record<AtomKind, ProbeType>> = {
  path: "artifact",
  url: "reference",
  hash: "reference",
  issue: "reference",
  number: "number",
  identifier: "identifier",
};

function neededProbes({ facts, messages }: Drawing, future: Future): readonly AtomProbe[] {
  const needed = sample(neededAfter(facts, future), MOST_NEEDED, ({ value }) => value);
  return needed.flatMap(({ value }) => {
    const fact = facts.get(value);
    return fact === undefined
      ? []
      : probeOf(fact, { type: TYPES[fact.kind], sets: ["NEEDED"], of: messages.length });
  });
}

/** Copies of real facts with one digit, one letter or the end changed, that nobody ever said: seeing one is invention. */
function absentProbes({ facts, messages }: Drawing, future: Future): readonly AtomProbe[] {
  const whole = factsIn(future.messages);
  const kinds: readonly AtomKind[] = ["path", "hash", "number", "identifier", "issue"];
  const some = sample(
    [...facts.values()].filter(({ kind }) => kinds.includes(kind)),
    2 * MOST_OF_A_KIND,
    ({ value }) => `absent ${value}`,
  );
  return some.flatMap((fact) => {
    const value = mutated(fact);
    if (value === fact.value || whole.has(value) || (fact.kind === "number" && !isUnlikely(value))) return [];
    return probeOf(fact, { type: "absent", sets: ["ABSENT"], of: messages.length }).map((probe) => ({
      ...probe,
      value,
    }));
  });
}

/** Three digits stand anywhere by chance, as a count of tokens for one: only longer numbers tell invention. */
function isUnlikely(value: string): boolean {
  return value.replaceAll(/\D/g, "").length >= 5;
}

function mutated({ value, kind }: Fact): string {
  if ((kind === "number" || kind === "hash") && value.length > 5 && hashOf(value) % 3 === 0)
    return value.slice(0, -2);
  const digit = value.search(/\d/);
  if (digit >= 0)
    return `${value.slice(0, digit)}${(Number(value.charAt(digit)) + 1) % 10}${value.slice(digit + 1)}`;
  const letter = value.search(/[a-z]/);
  const next = String.fromCharCode(97 + ((value.charCodeAt(letter) - 97 + 1) % 26));
  return letter < 0 ? value : `${value.slice(0, letter)}${next}${value.slice(letter + 1)}`;
}

function probeOf(
  fact: Fact | undefined,
  { type, sets, of }: { readonly type: ProbeType; readonly sets: readonly ProbeSet[]; readonly of: number },
): readonly AtomProbe[] {
  if (!fact) return [];
  const [first] = fact.places;
  return [
    {
      type,
      sets,
      match: "atom",
      value: fact.value,
      anchors: anchorsOf(fact),
      asked: askedBy(fact),
      source: fact.places.at(-1)?.part,
      isEarly: (first?.messageIndex ?? 0) < of / 4,
    },
  ];
}
