/**
 * Law 3, from the side of the judge: what is legal is accepted, and whatever breaks a legal conversation is noticed.
 * Each mutation is applied to random conversations at a random place, and must be rejected for its own reason.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, type ProblemCode } from "../../src/transcript/check.ts";
import type { Message, Part, Role, Transcript } from "../../src/transcript/message.ts";
import { isSealed, prefixesOf } from "../../src/transcript/prefix.ts";
import { stepsOf } from "../../src/transcript/turns.ts";
import { assistant, user } from "../say.ts";
import { lawRuns, legalRecords, legalRequests } from "./conversations.ts";

fc.configureGlobal({ numRuns: lawRuns(100) });

/** A change at one of the places where it can be made (`pick` chooses), or nothing if there is none. */
type Mutation = (transcript: Transcript, pick: number) => Transcript | undefined;
type PartTest = (part: Part, role: Role) => boolean;

const isCall: PartTest = (part) => part.type === "tool-call";
const isResult: PartTest = (part) => part.type === "tool-result";
const isText: PartTest = (part) => part.type === "text";
const isSealedThinking: PartTest = (part) => part.type === "thinking" && isSealed(part);

const mutations: readonly (readonly [string, readonly ProblemCode[], Mutation])[] = [
  ["a result is dropped", ["unanswered-call", "open-call"], replacePart(isResult, () => [])],
  ["a call is dropped", ["orphan-result"], replacePart(isCall, () => [])],
  ["a result is said twice", ["repeated-result"], replacePart(isResult, (part) => [part, part])],
  ["a call is made twice", ["repeated-call-id"], replacePart(isCall, (part) => [part, part])],
  [
    "a call gets another id",
    ["orphan-result"],
    replacePart(isCall, (part) => [{ ...part, callId: "other" } as Part]),
  ],
  [
    "a result gets another id",
    ["orphan-result"],
    replacePart(isResult, (part) => [{ ...part, callId: "x" } as Part]),
  ],
  [
    "a call loses its id",
    ["missing-call-id"],
    replacePart(isCall, (part) => [{ ...part, callId: "" } as Part]),
  ],
  ["a call loses its name", ["missing-name"], replacePart(isCall, (part) => [{ ...part, name: "" } as Part])],
  ["a text is emptied", ["empty-text"], replacePart(isText, () => [{ type: "text", text: "" }])],
  ["a text is blanked", ["blank-text"], replacePart(isText, () => [{ type: "text", text: " \n" }])],
  [
    "a message is emptied",
    ["empty-message"],
    replaceMessage(
      () => true,
      (message) => [{ ...message, parts: [] }],
    ),
  ],
  ["a response is the user's", ["misplaced-call"], replaceMessage(has(isCall), inRole("user"))],
  ["results are the model's", ["misplaced-result"], replaceMessage(has(isResult), inRole("assistant"))],
  ["thinking is the user's", ["misplaced-thinking"], replaceMessage(has(isSealedThinking), inRole("user"))],
  [
    "words come before results",
    ["result-after-words", "misplaced-words"],
    replaceMessage(has(isResult), wordsFirst),
  ],
  [
    "someone speaks before the results",
    ["late-result"],
    behindCalls((results) => [user("wait"), ...results]),
  ],
  ["results come before their calls", ["orphan-result"], swapWithResults],
  ["a cut begins inside a step", ["orphan-result"], cutInsideStep],
  ["the model speaks first", ["starts-with-assistant"], cutBeforeResponse],
  [
    "the model has the last word",
    ["ends-with-assistant"],
    (t) => withMessages(t, [...t.messages, assistant("so be it")]),
  ],
  ["thinking is reworded", ["thinking-edited"], replacePart(isSealedThinking, reword)],
  ["a seal is changed", ["thinking-edited"], replacePart(isSealedThinking, reseal)],
  ["a response ends in thinking", ["thinking-last"], replaceMessage(has(isSealedThinking), upToThinking)],
  ["the last thinking is left out", ["missing-thinking"], dropLastThinking],
  ["an opaque item is edited", ["opaque-edited"], replacePart((part) => part.type === "opaque", tamper)],
  [
    "words before thinking are edited",
    ["prefix-changed"],
    beforeThinking(isText, (part) => [{ ...part, text: "edited" } as Part]),
  ],
  ["a result before thinking is stubbed", ["prefix-changed"], beforeThinking(isResult, stub)],
  ["a part before thinking is dropped", ["prefix-changed"], beforeThinking(isText, () => [])],
  [
    "the system prompt is edited",
    ["prefix-changed"],
    sealedOnly((t) => ({ ...t, system: [{ type: "text", text: "new" }] })),
  ],
  [
    "a tool is added",
    ["prefix-changed"],
    sealedOnly((t) => ({ ...t, tools: [...(t.tools ?? []), { name: "New" }] })),
  ],
];

describe("legal conversations", () => {
  test("are accepted as requests", () => {
    fc.assert(
      fc.property(legalRequests, (transcript) => {
        expect(check(transcript, { original: transcript })).toEqual([]);
      }),
    );
  });

  test("are accepted as records", () => {
    fc.assert(
      fc.property(legalRecords, (transcript) => {
        expect(check(transcript, { as: "record", original: transcript })).toEqual([]);
      }),
    );
  });

  test("are not touched", () => {
    fc.assert(
      fc.property(legalRequests, (transcript) => {
        const before = JSON.stringify(transcript);
        check(transcript, { original: transcript });
        expect(JSON.stringify(transcript)).toBe(before);
      }),
    );
  });
});

describe("broken conversations are rejected for their own reason:", () => {
  test.each(mutations)("%s", (_, codes, mutate) => {
    fc.assert(
      fc.property(legalRequests, fc.nat(), (transcript, pick) => {
        const broken = mutate(transcript, pick);
        fc.pre(broken !== undefined);
        const found = check(broken, { original: transcript }).map(({ code }) => code);
        expect(found.filter((code) => codes.includes(code))).not.toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });
});

describe("what may be done to a legal conversation", () => {
  test("all sealed thinking may go, unless the model waits for what it called", () => {
    fc.assert(
      fc.property(legalRequests, (transcript) => {
        fc.pre(!isWaiting(transcript));
        expect(check(withoutThinking(transcript), { original: transcript })).toEqual([]);
      }),
    );
  });

  test("results may be stubbed once no sealed thinking follows", () => {
    fc.assert(
      fc.property(legalRequests, (transcript) => {
        const bare = withoutThinking(transcript);
        const stubbed = mapParts(bare, (part) => (part.type === "tool-result" ? stub(part)[0] : part));
        expect(check(stubbed, { original: bare })).toEqual([]);
      }),
    );
  });

  test("whole turns may leave from the front when all thinking leaves with them", () => {
    fc.assert(
      fc.property(legalRequests, fc.nat(), (transcript, pick) => {
        const bare = withoutThinking(transcript);
        const starts = bare.messages.flatMap(({ role, parts }, index) =>
          role === "user" && !parts.some((part) => isResult(part, role)) ? [index] : [],
        );
        const from = starts[pick % starts.length] ?? 0;
        expect(check(withMessages(bare, bare.messages.slice(from)), { original: bare })).toEqual([]);
      }),
    );
  });
});

describe("the prefix of a conversation", () => {
  test("is the same in every spelling: joined messages, result roles, order of tools, white space", () => {
    fc.assert(
      fc.property(legalRequests, (transcript) => {
        const respelled = { ...joined(transcript), tools: [...(transcript.tools ?? [])].reverse() };
        const padded = mapParts(respelled, (part) =>
          part.type === "text" ? { ...part, text: ` ${part.text}\n` } : part,
        );
        expect(prefixesOf(padded).at(-1)).toBe(prefixesOf(transcript).at(-1));
      }),
    );
  });

  test("grows message by message: what is added does not change what was before", () => {
    fc.assert(
      fc.property(legalRequests, fc.nat(), (transcript, pick) => {
        const length = pick % (transcript.messages.length + 1);
        const start = withMessages(transcript, transcript.messages.slice(0, length));
        expect(prefixesOf(transcript).slice(0, length + 1)).toEqual(prefixesOf(start));
      }),
    );
  });
});

function replacePart(isMeant: PartTest, change: (part: Part) => readonly Part[]): Mutation {
  return (transcript, pick) =>
    changePart(transcript, pick, { isMeant, change, before: Number.POSITIVE_INFINITY });
}

/** As `replacePart`, at a place that has sealed thinking behind it. */
function beforeThinking(isMeant: PartTest, change: (part: Part) => readonly Part[]): Mutation {
  return (transcript, pick) => {
    const before = transcript.messages.findLastIndex(has(isSealedThinking));
    return changePart(transcript, pick, { isMeant, change, before });
  };
}

interface PartChange {
  readonly isMeant: PartTest;
  readonly change: (part: Part) => readonly Part[];
  readonly before: number;
}

function changePart(transcript: Transcript, pick: number, { isMeant, change, before }: PartChange) {
  const places = transcript.messages.flatMap(({ role, parts }, m) =>
    m < before ? parts.flatMap((part, p) => (isMeant(part, role) ? [{ m, p }] : [])) : [],
  );
  const place = places[pick % places.length];
  if (!place) return undefined;
  const messages = transcript.messages.flatMap((message, m): readonly Message[] => {
    if (m !== place.m) return [message];
    const parts = message.parts.flatMap((part, p) => (p === place.p ? change(part) : [part]));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  return withMessages(transcript, messages);
}

function replaceMessage(
  isMeant: (message: Message) => boolean,
  change: (message: Message) => readonly Message[],
): Mutation {
  return (transcript, pick) => {
    const places = transcript.messages.flatMap((message, index) => (isMeant(message) ? [index] : []));
    const place = places[pick % places.length];
    if (place === undefined) return undefined;
    const messages = transcript.messages.flatMap((message, index) =>
      index === place ? change(message) : [message],
    );
    return withMessages(transcript, messages);
  };
}

function has(isMeant: PartTest): (message: Message) => boolean {
  return ({ role, parts }) => parts.some((part) => isMeant(part, role));
}

function inRole(role: Role): (message: Message) => readonly Message[] {
  return (message) => [{ ...message, role }];
}

function wordsFirst(message: Message): readonly Message[] {
  return [{ ...message, parts: [{ type: "text", text: "first of all" }, ...message.parts] }];
}

function upToThinking(message: Message): readonly Message[] {
  const end = message.parts.findIndex((part) => isSealedThinking(part, message.role));
  return [{ ...message, parts: message.parts.slice(0, end + 1) }];
}

function reword(part: Part): readonly Part[] {
  if (part.type !== "thinking") return [part];
  return [
    part.encrypted === undefined ? { ...part, text: `${part.text}!` } : { ...part, encrypted: "forged" },
  ];
}

function reseal(part: Part): readonly Part[] {
  if (part.type !== "thinking") return [part];
  return [part.encrypted === undefined ? { ...part, signature: "forged" } : { ...part, encrypted: "forged" }];
}

function tamper(part: Part): readonly Part[] {
  return part.type === "opaque" ? [{ ...part, value: { type: "tampered" } }] : [part];
}

function stub(part: Part): readonly [Part] {
  return [part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "[stub]" }] } : part];
}

/** Changes what stands behind one of the responses with calls. */
function behindCalls(change: (results: readonly Message[]) => readonly Message[]): Mutation {
  return (transcript, pick) => {
    const steps = stepsOf(transcript).filter(({ start, end }) => end > start + 1);
    const step = steps[pick % steps.length];
    if (!step) return undefined;
    const { messages } = transcript;
    const results = change(messages.slice(step.start + 1, step.end));
    return withMessages(transcript, [
      ...messages.slice(0, step.start + 1),
      ...results,
      ...messages.slice(step.end),
    ]);
  };
}

function swapWithResults(transcript: Transcript, pick: number): Transcript | undefined {
  const { messages } = transcript;
  const steps = stepsOf(transcript).filter(({ start, end }) => end > start + 1);
  const step = steps[pick % steps.length];
  const response = step && messages[step.start];
  if (!response) return undefined;
  const results = messages.slice(step.start + 1, step.end);
  return withMessages(transcript, [
    ...messages.slice(0, step.start),
    ...results,
    response,
    ...messages.slice(step.end),
  ]);
}

function cutInsideStep(transcript: Transcript, pick: number): Transcript | undefined {
  const places = transcript.messages.flatMap((message, index) => (has(isResult)(message) ? [index] : []));
  const place = places[pick % places.length];
  return place === undefined ? undefined : withMessages(transcript, transcript.messages.slice(place));
}

function cutBeforeResponse(transcript: Transcript, pick: number): Transcript | undefined {
  const steps = stepsOf(transcript);
  const step = steps[pick % steps.length];
  return step && withMessages(transcript, transcript.messages.slice(step.start));
}

function dropLastThinking(transcript: Transcript): Transcript | undefined {
  const last = transcript.messages.findLastIndex(({ role }) => role === "assistant");
  const response = transcript.messages[last];
  if (!response || !isWaiting(transcript) || !has(isSealedThinking)(response)) return undefined;
  const parts = response.parts.filter((part) => !isSealedThinking(part, "assistant"));
  return withMessages(transcript, transcript.messages.with(last, { ...response, parts }));
}

function sealedOnly(change: (transcript: Transcript) => Transcript): Mutation {
  return (transcript) => (transcript.messages.some(has(isSealedThinking)) ? change(transcript) : undefined);
}

function withoutThinking(transcript: Transcript): Transcript {
  return withMessages(
    transcript,
    transcript.messages.map((message) => ({
      ...message,
      parts: message.parts.filter((part) => part.type !== "thinking"),
    })),
  );
}

function joined(transcript: Transcript): Transcript {
  const messages: Message[] = [];
  for (const { role, parts } of transcript.messages) {
    const open = messages.at(-1);
    const speaker = role === "tool" ? "user" : role;
    if (open?.role === speaker) messages[messages.length - 1] = { ...open, parts: [...open.parts, ...parts] };
    else messages.push({ role: speaker, parts });
  }
  return withMessages(transcript, messages);
}

function mapParts(transcript: Transcript, change: (part: Part) => Part): Transcript {
  return withMessages(
    transcript,
    transcript.messages.map((message) => ({ ...message, parts: message.parts.map(change) })),
  );
}

function isWaiting({ messages }: Transcript): boolean {
  return (
    messages.findLast(({ role }) => role === "assistant")?.parts.some(({ type }) => type === "tool-call") ===
    true
  );
}

function withMessages(transcript: Transcript, messages: readonly Message[]): Transcript {
  return { ...transcript, messages };
}
