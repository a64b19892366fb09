/**
 * Random conversations every hosted provider accepts: turns and steps, parallel calls, results in every spelling the
 * wires read, mixed messages, sealed and hidden thinking, images, opaque items. Shapes are generated and then built with
 * running numbers for ids and seals, so that a failing case shrinks to a small conversation that is still legal.
 */
import fc from "fast-check";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Part, Transcript } from "../../src/transcript/message.ts";

/** How often a law is tried: `PALIMPSEST_LAW_RUNS=10000` runs all of them long, CI as often as said here. */
export function lawRuns(usual: number): number {
  return Number(process.env["PALIMPSEST_LAW_RUNS"] ?? usual);
}

/** Accepted as a request by the strictest rules: ends with the user's words or with results. */
export const legalRequests: fc.Arbitrary<Transcript> = fc
  .record({
    opening: openings(),
    turns: fc.array(turns(), { maxLength: 4 }),
    last: fc.oneof(lastWords(), lastResults()),
  })
  .map(({ opening, turns, last }) => build(opening, [...turns, last]));

/** Accepted as a record: may also end with an answer, with results, with calls still open, or stopped in a thought. */
export const legalRecords: fc.Arbitrary<Transcript> = fc
  .record({
    opening: openings(),
    turns: fc.array(turns(), { minLength: 1, maxLength: 4 }),
    stopped: fc.constantFrom("not" as const, "calling" as const, "thinking" as const),
  })
  .map(({ opening, turns, stopped }) => {
    const whole = build(opening, turns);
    if (stopped === "not" || whole.messages.length <= 2) return whole;
    const messages = stopped === "calling" ? upToCalls(whole.messages) : [...whole.messages, THOUGHT];
    return { ...whole, messages };
  });

/** All there is of a response whose agent was stopped. */
const THOUGHT: Message = {
  role: "assistant",
  parts: [{ type: "thinking", text: "so", signature: "seal_last" }],
};

/** How the results of a response are spelled: all in one message or one each, in which role, with words behind them. */
type Spelling = "user" | "user-each" | "tool" | "tool-each" | "user-and-words" | "halves";

interface CallShape {
  readonly name: string;
  readonly input: Json;
  readonly output: string;
  readonly hasImage: boolean;
  readonly isError: boolean;
}
interface ThoughtShape {
  readonly thinking: "none" | "sealed" | "hidden" | "open";
  readonly thought: string;
  readonly words: string | undefined;
}
interface StepShape extends ThoughtShape {
  readonly calls: readonly CallShape[];
  readonly spelling: Spelling;
  readonly isReversed: boolean;
  readonly hasOpaque: boolean;
}
interface TurnShape {
  readonly asks: readonly {
    readonly words: string;
    readonly extra: "none" | "image" | "document" | "synthetic";
  }[];
  readonly steps: readonly StepShape[];
  readonly answer: (ThoughtShape & { readonly words: string }) | undefined;
}
interface Opening {
  readonly system: string | undefined;
  readonly tools: readonly string[];
  readonly systemMessage: string | undefined;
}

/** Never blank; sometimes with half a surrogate pair, quotes, or white space around. */
export function words(): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    "half a \ud83d pair",
    " padded ",
    '{"json": true}',
    "<b>not html</b>",
    "line\nline",
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 12 }).map((text) => `w${text}`) },
    { weight: 1, arbitrary: odd },
  );
}

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

function openings(): fc.Arbitrary<Opening> {
  const names = fc.uniqueArray(fc.constantFrom("Read", "Bash", "Edit", "Grep"), { maxLength: 4 });
  return fc.record({ system: maybe(words()), tools: names, systemMessage: maybe(words()) });
}

function thoughts() {
  return {
    thinking: fc.constantFrom("none" as const, "sealed" as const, "hidden" as const, "open" as const),
    thought: words(),
  };
}

function calls(): fc.Arbitrary<CallShape> {
  return fc.record({
    name: fc.constantFrom("Read", "Bash", "Edit"),
    input: fc.oneof(
      fc.constant({}),
      fc.record({ path: fc.constantFrom("a.ts", "b.ts") }),
      fc.record({ n: fc.nat(9) }),
    ),
    output: fc.oneof(words(), fc.constant("")),
    hasImage: fc.boolean(),
    isError: fc.boolean(),
  });
}

function steps(): fc.Arbitrary<StepShape> {
  return fc.record({
    ...thoughts(),
    words: maybe(words()),
    calls: fc.array(calls(), { minLength: 1, maxLength: 3 }),
    spelling: fc.constantFrom<Spelling>("user", "user-each", "tool", "tool-each", "user-and-words", "halves"),
    isReversed: fc.boolean(),
    hasOpaque: fc.boolean(),
  });
}

function asks(): fc.Arbitrary<TurnShape["asks"]> {
  const extra = fc.constantFrom("none" as const, "image" as const, "document" as const, "synthetic" as const);
  return fc.array(fc.record({ words: words(), extra }), { minLength: 1, maxLength: 2 });
}

/** Sometimes without an answer: the user speaks while the model works, and their words stand behind its results. */
function turns(): fc.Arbitrary<TurnShape> {
  const answer = fc.option(fc.record({ ...thoughts(), words: words() }), { nil: undefined, freq: 3 });
  return fc.record({ asks: asks(), steps: fc.array(steps(), { maxLength: 3 }), answer });
}

function lastWords(): fc.Arbitrary<TurnShape> {
  return asks().map((asks) => ({ asks, steps: [], answer: undefined }));
}

function lastResults(): fc.Arbitrary<TurnShape> {
  return fc.record({
    asks: asks(),
    steps: fc.array(steps(), { minLength: 1, maxLength: 3 }),
    answer: fc.constant(undefined),
  });
}

function build(opening: Opening, turns: readonly TurnShape[]): Transcript {
  const count = counter();
  const first: readonly Message[] =
    opening.systemMessage === undefined ? [] : [{ role: "system", parts: [text(opening.systemMessage)] }];
  return {
    ...(opening.system === undefined ? {} : { system: [text(opening.system)] }),
    tools: opening.tools.map((name) => ({ name, description: `${name} it`, input: { type: "object" } })),
    messages: [...first, ...turns.flatMap((turn) => buildTurn(turn, count))],
  };
}

function buildTurn({ asks, steps, answer }: TurnShape, count: () => number): readonly Message[] {
  return [
    ...asks.map(({ words, extra }): Message => ({ role: "user", parts: [text(words), ...extras(extra)] })),
    ...steps.flatMap((step) => buildStep(step, count)),
    ...(answer
      ? [{ role: "assistant" as const, parts: [...buildThought(answer, count), text(answer.words)] }]
      : []),
  ];
}

function buildStep(step: StepShape, count: () => number): readonly Message[] {
  const ids = step.calls.map(() => `call_${count()}`);
  const parts = step.calls.map(
    ({ name, input }, index): Part => ({ type: "tool-call", callId: ids[index] ?? "", name, input }),
  );
  const results = step.calls.map((call, index) => buildResult(call, ids[index] ?? ""));
  const opaque: readonly Part[] = step.hasOpaque
    ? [
        {
          type: "opaque",
          of: "anthropic",
          value: { type: "server_tool_use", id: `srvtoolu_${count()}`, input: {} },
        },
      ]
    : [];
  const said = step.words === undefined ? [] : [text(step.words)];
  const response: Message = {
    role: "assistant",
    parts: [...buildThought(step, count), ...said, ...opaque, ...parts],
  };
  return [response, ...spellResults(step.isReversed ? results.reverse() : results, step.spelling)];
}

function buildThought(
  { thinking, thought }: Omit<ThoughtShape, "words">,
  count: () => number,
): readonly Part[] {
  switch (thinking) {
    case "none":
      return [];
    case "sealed":
      return [{ type: "thinking", text: thought, signature: `seal_${count()}` }];
    case "hidden":
      return [{ type: "thinking", text: "", encrypted: `hidden_${count()}` }];
    case "open":
      return [{ type: "thinking", text: thought }];
  }
}

function buildResult({ output, hasImage, isError }: CallShape, callId: string): Part {
  return {
    type: "tool-result",
    callId,
    isError,
    output: [{ type: "text", text: output }, ...(hasImage ? [IMAGE] : [])],
  };
}

function spellResults(results: readonly Part[], spelling: Spelling): readonly Message[] {
  const half = Math.ceil(results.length / 2);
  switch (spelling) {
    case "user":
      return [{ role: "user", parts: results }];
    case "tool":
      return [{ role: "tool", parts: results }];
    case "user-each":
      return results.map((part) => ({ role: "user", parts: [part] }));
    case "tool-each":
      return results.map((part) => ({ role: "tool", parts: [part] }));
    case "user-and-words":
      return [{ role: "user", parts: [...results, text("by the way"), IMAGE] }];
    case "halves":
      return [results.slice(0, half), results.slice(half)]
        .filter((parts) => parts.length > 0)
        .map((parts) => ({ role: "user", parts }));
  }
}

const IMAGE = {
  type: "image",
  source: { kind: "data", mediaType: "image/png", base64: "iVBORw0KGgo=" },
} as const satisfies Part;

function extras(extra: TurnShape["asks"][number]["extra"]): readonly Part[] {
  if (extra === "image") return [IMAGE];
  if (extra === "synthetic") return [{ type: "text", text: "<system-reminder>", synthetic: true }];
  if (extra === "document")
    return [
      { type: "document", title: "notes", source: { kind: "text", mediaType: "text/plain", text: "n" } },
    ];
  return [];
}

function text(value: string): Part {
  return { type: "text", text: value };
}

function counter(): () => number {
  let next = 0;
  return () => next++;
}

/** Cut behind the last response: its calls, if it has any, are open. */
function upToCalls(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex((message) => message.role === "assistant") + 1);
}
