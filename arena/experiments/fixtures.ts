/** A scenario as a session and its recall questions. The same scenario gives the same bytes. */
import type { Message, Part, Session } from "palimpsest";
import { hashOf, randomFrom } from "../cases/seeded.ts";
import { proseWords } from "../probes/atoms.ts";
import type { AtomProbe } from "../probes/probe.ts";
import type { Scenario, Step } from "./scenarios.ts";

export interface Fixture {
  readonly name: string;
  readonly session: Session;
  /** How many messages the last compaction sees; what follows is the question. */
  readonly from: number;
  readonly questions: readonly AtomProbe[];
}

export function fixtureOf({ name, asks, steps }: Scenario): Fixture {
  const random = randomFrom(hashOf(name));
  const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: asks }] }];
  const questions: AtomProbe[] = [];
  for (const [index, step] of steps.entries()) {
    const result = resultOf(step, index, random);
    messages.push(
      { role: "assistant", parts: [{ type: "text", text: step.why }, callOf(step, index)] },
      { role: "user", parts: [result] },
    );
    questions.push(...step.facts.map((fact) => questionOf(fact, result, index < steps.length / 4)));
  }
  messages.push({ role: "assistant", parts: [{ type: "text", text: "Ready for the next question." }] });
  const whole = { messages, model: "claude-sonnet-4-5" };
  const session: Session = {
    wire: "fixture",
    whole,
    seen: whole,
    compactions: [],
    asides: [],
    skipped: [],
    about: {},
  };
  return { name, session, from: messages.length - 1, questions };
}

function callOf({ tool, target }: Step, index: number): Part {
  const input = tool === "Bash" ? { command: target } : { file_path: target };
  return { type: "tool-call", callId: `c${index}`, name: tool, input };
}

/** The facts stand somewhere in the output, never at its ends. */
function resultOf({ facts, filler }: Step, index: number, random: () => number): Part {
  const lines = Array.from({ length: filler }, () => fillerLine(random));
  for (const [words, value] of facts)
    lines.splice(1 + Math.floor(random() * Math.max(1, lines.length - 2)), 0, `${words}: ${value}`);
  return {
    type: "tool-result",
    callId: `c${index}`,
    output: [{ type: "text", text: lines.join("\n") }],
    isError: false,
  };
}

const SUBJECTS: readonly string[] = [
  "worker",
  "router",
  "scheduler",
  "parser",
  "listener",
  "registry",
  "watcher",
];
const VERBS: readonly string[] = [
  "started",
  "finished",
  "waited",
  "skipped",
  "reloaded",
  "checked",
  "flushed",
];
const OBJECTS: readonly string[] = [
  "its queue",
  "the buffer",
  "a stale entry",
  "the index",
  "one segment",
  "the lease",
];

function fillerLine(random: () => number): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "";
  return `[info] ${pick(SUBJECTS)} ${Math.floor(random() * 9)} ${pick(VERBS)} ${pick(OBJECTS)} and went on without a warning`;
}

function questionOf([words, value]: readonly [string, string], source: Part, isEarly: boolean): AtomProbe {
  const anchors = proseWords(words);
  return { type: "number", sets: ["ALL"], match: "atom", value, anchors, asked: anchors, source, isEarly };
}
