/** What tests of policies share: a conversation compacted for real, and what the model then reads, message by message. */
import { type CompactOptions, compact, type Outcome } from "../../../src/compact.ts";
import { policyNamed } from "../../../src/plan/policies.ts";
import type { Policy } from "../../../src/plan/policy.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Json } from "../../../src/transcript/json.ts";
import { type Message, type Part, resultText, type Transcript } from "../../../src/transcript/message.ts";
import { call, result } from "../../say.ts";

export const AT: number = Date.UTC(2026, 10, 18, 12);

export interface Acted {
  readonly outcome: Outcome;
  readonly store: Store;
  /** `user: …`, `assistant: …`, in order. */
  readonly said: readonly string[];
  readonly all: string;
}

export type Acting = Partial<Omit<CompactOptions, "policy">>;

export async function act(
  transcript: Transcript,
  policy: string | Policy,
  options: Acting = {},
): Promise<Acted> {
  const store = options.store ?? memoryStore();
  await store.openSession({ id: "s", at: AT });
  const outcome = await compact(transcript, {
    store,
    sessionId: "s",
    policy: typeof policy === "string" ? policyNamed(policy) : policy,
    trigger: "auto",
    at: AT,
    ...options,
  });
  const said = outcome.transcript.messages.map(textOf);
  return { outcome, store, said, all: said.join("\n") };
}

export function textOf({ role, parts }: Message): string {
  return `${role}: ${parts.map(partText).join("\n")}`;
}

function partText(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `${part.name}(${JSON.stringify(part.input)})`;
  return part.type === "tool-result" ? resultText(part) : `(${part.type})`;
}

/** About this many tokens, every line another. */
export function text(tokens: number, topic = "row"): string {
  const lines = Array.from(
    { length: Math.ceil(tokens / 10) },
    (_, index) => `${topic} ${index} holds ${index * 7} of them`,
  );
  return lines.join("\n");
}

export interface StepOptions {
  readonly name?: string;
  readonly input?: Json;
  readonly says?: string;
  readonly isError?: boolean;
}

/** One step: the model says something and calls one tool, which answers. */
export function step(id: number | string, output: string, options: StepOptions = {}): readonly Message[] {
  const { name = "Read", says = `Step ${id}.`, isError = false } = options;
  const input = options.input ?? { file_path: `src/file${id}.ts` };
  return [
    { role: "assistant", parts: [{ type: "text", text: says }, call(`c${id}`, name, input)] },
    { role: "user", parts: [result(`c${id}`, output, isError)] },
  ];
}

export function steps(count: number, tokensEach: number, from = 0): readonly Message[] {
  return Array.from({ length: count }, (_, index) =>
    step(from + index, text(tokensEach, `file ${from + index}`)),
  ).flat();
}

/** Each message a minute after the one before, the last one at `AT`. */
export function timed(messages: readonly Message[], minutes = 1): readonly Message[] {
  return messages.map((message, index) => ({
    ...message,
    at: AT - (messages.length - 1 - index) * minutes * 60_000,
  }));
}
