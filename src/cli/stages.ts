/**
 * A conversation as it grew: prefixes of about equal growth, each cut where a step ends, the last one whole. This is
 * what `--cascade` compacts one after the other, as a session that keeps filling would be.
 */
import type { Message, Transcript } from "../transcript/message.ts";
import { stepsOf } from "../transcript/turns.ts";

export function stagesOf(
  transcript: Transcript,
  count: number,
  tokensOf: (message: Message) => number,
): readonly Transcript[] {
  const { messages } = transcript;
  const ends = stepsOf(transcript).map(({ end }) => end);
  const grown = sums(messages.map(tokensOf));
  const total = grown.at(-1) ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const wanted = (total * (index + 1)) / count;
    const end = index === count - 1 ? undefined : ends.find((at) => (grown[at - 1] ?? 0) >= wanted);
    return end === undefined ? transcript : { ...transcript, messages: messages.slice(0, end) };
  });
}

function sums(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
