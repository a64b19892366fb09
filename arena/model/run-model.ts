/** Model mode: the same cuts and the same probes as offline, so that results join item by item; but a model answers. */
import { cascadeOf, futureOf } from "../cases/cuts.ts";
import { filesMatching, type Recorded, readCase } from "../cases/files.ts";
import { sample } from "../cases/seeded.ts";
import type { Opponent } from "../opponents/opponent.ts";
import { opponentsNamed } from "../opponents/opponents.ts";
import { linesOfMessages } from "../probes/lines.ts";
import { mineProbes } from "../probes/mine.ts";
import type { Probe } from "../probes/probe.ts";
import { SessionIndex } from "../probes/session-index.ts";
import type { OnProgress } from "../run.ts";
import type { Asker } from "./asker.ts";
import { complies, oppositeOf } from "./compliance.ts";
import { type Grounding, ground } from "./grounding.ts";
import { inParallel } from "./in-parallel.ts";
import { type NextCall, nextCall } from "./next-call.ts";
import { type Asking, recall } from "./recall.ts";
import { type Seen, seenOf } from "./seen.ts";

export interface ModelOrder {
  readonly sessions: string;
  readonly opponents?: readonly string[] | undefined;
  readonly cascades: readonly number[];
  /** Probe questions per session and opponent. */
  readonly questions: number;
  readonly replicates: number;
}

export interface ModelScore {
  readonly session: string;
  readonly opponent: string;
  readonly setting: string;
  readonly recalls: readonly RecallScore[];
  readonly groundings: readonly Grounding[];
  /** Of instructions that have an opposite: both orders right. */
  readonly compliance: readonly boolean[];
  readonly nextCalls: readonly NextCall[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RecallScore {
  readonly type: Probe["type"];
  readonly sets: Probe["sets"];
  /** What the offline probe says of it. */
  readonly isVisible: boolean;
  readonly isRight: boolean;
  readonly reads: number;
}

export interface ModelRun {
  readonly model: string;
  readonly order: ModelOrder;
  readonly scores: readonly ModelScore[];
}

const USUAL: readonly string[] = ["palimpsest", "summarize", "pointerize", "tail", "full"];
/** A model cannot be sent more; where even the control does not fit it is left out. */
const MOST_CHARS = 600_000;
const DIRECTIVES = 5;
const LEAST_MESSAGES = 12;
export const NO_CONTEXT = "no context";

export async function runModel(
  order: ModelOrder,
  asker: Asker,
  onProgress: OnProgress = () => undefined,
): Promise<ModelRun> {
  const opponents = opponentsNamed(order.opponents ?? USUAL);
  const files = filesMatching(order.sessions);
  const scores: ModelScore[] = [];
  for (const [done, file] of files.entries()) {
    const recorded = readCase(file);
    if (!recorded || recorded.session.whole.messages.length < LEAST_MESSAGES) continue;
    for (const cascade of order.cascades) {
      const tell = (doing: string) => onProgress({ done, of: files.length, name: file.name, doing });
      scores.push(...(await scoreCase(recorded, { order, asker, opponents, cascade, tell })));
    }
  }
  return { model: asker.name, order, scores };
}

interface Scoring {
  readonly order: ModelOrder;
  readonly asker: Asker;
  readonly opponents: readonly Opponent[];
  readonly cascade: number;
  readonly tell: (doing: string) => void;
}

async function scoreCase(recorded: Recorded, scoring: Scoring): Promise<readonly ModelScore[]> {
  const { session, name } = recorded;
  const { windowTokens, cuts } = cascadeOf(session.whole, scoring.cascade);
  const cut = cuts.at(-1);
  if (cut === undefined || cuts.length < scoring.cascade) return [];
  const items = itemsAt(recorded, cut, scoring.order.questions);
  const scores: ModelScore[] = [];
  for (const opponent of scoring.opponents) {
    const left = await opponent.run({ session, cuts, windowTokens, index: new SessionIndex(), seed: name });
    const seen = seenOf(left);
    if (seen.text.length > MOST_CHARS) continue;
    scoring.tell(`${scoring.asker.name} after ${opponent.name}`);
    const visible = (probe: Probe) => left.shown.find(probe) === "visible";
    scores.push(await scoreSeen(opponent.name, { seen, visible, items, scoring, name }));
  }
  const none = { seen: { text: "" }, visible: () => false, items: { ...items, probes: [] }, scoring, name };
  return [...scores, await scoreSeen(NO_CONTEXT, none)];
}

interface Items {
  readonly probes: readonly Probe[];
  readonly directives: readonly Probe[];
  readonly source: ReturnType<typeof linesOfMessages>;
  readonly tools: readonly string[];
  readonly next: Recorded["session"]["whole"]["messages"][number] | undefined;
}

function itemsAt({ session }: Recorded, cut: number, questions: number): Items {
  const { messages } = session.whole;
  const mined = mineProbes(futureOf(session, cut)).filter(({ type }) => type !== "absent");
  const keyOf = ({ type, value }: Probe) => `${type} ${value}`;
  const directives = mined.filter(({ type, value }) => type === "directive" && oppositeOf(value));
  const parts = messages.flatMap((message) => message.parts);
  return {
    probes: sample(mined, questions, keyOf),
    directives: sample(directives, DIRECTIVES, keyOf),
    source: linesOfMessages(messages.slice(0, cut)),
    tools: [...new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : [])))].sort(),
    next: messages[cut],
  };
}

interface SeenCase {
  readonly seen: Seen;
  readonly visible: (probe: Probe) => boolean;
  readonly items: Items;
  readonly scoring: Scoring;
  readonly name: string;
}

async function scoreSeen(
  opponent: string,
  { seen, visible, items, scoring, name }: SeenCase,
): Promise<ModelScore> {
  const { asker, spent } = counting(scoring.asker);
  const recalls: RecallScore[] = [];
  const groundings: Grounding[] = [];
  const compliance: boolean[] = [];
  const nextCalls: NextCall[] = [];
  for (let replicate = 0; replicate < scoring.order.replicates; replicate += 1) {
    const asking: Asking = { asker, replicate };
    recalls.push(
      ...(await inParallel(items.probes, async (probe): Promise<RecallScore> => {
        const { isRight, answer } = await recall(probe, seen, asking);
        const { type, sets } = probe;
        return { type, sets, isVisible: visible(probe), isRight, reads: answer.reads };
      })),
    );
    const obeyed = await inParallel(items.directives, (probe) => complies(probe, seen, asking));
    compliance.push(...obeyed.flatMap((one) => one ?? []));
    if (seen.text === "") continue;
    groundings.push(await ground(seen, items.source, asking));
    const next = await nextCall(items.next, { seen, tools: items.tools }, asking);
    if (next) nextCalls.push(next);
  }
  const setting = `cascade ${scoring.cascade}`;
  return { session: name, opponent, setting, recalls, groundings, compliance, nextCalls, ...spent() };
}

function counting(asker: Asker): {
  asker: Asker;
  spent: () => { inputTokens: number; outputTokens: number };
} {
  const total = { inputTokens: 0, outputTokens: 0 };
  return {
    spent: () => total,
    asker: {
      name: asker.name,
      async ask(question) {
        const answer = await asker.ask(question);
        total.inputTokens += answer.inputTokens;
        total.outputTokens += answer.outputTokens;
        return answer;
      },
    },
  };
}
