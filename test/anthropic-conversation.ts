/** A conversation in the spelling of Anthropic, as an agent holds it: one step reads one file. */
import type { Json } from "../src/transcript/json.ts";

export const words = (topic: string, count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${topic} line ${index}: value_${index} = compute(${index * 7});`,
  ).join("\n");
export const says = (content: string): Json => ({ role: "user", content });
export const step = (id: number, lines = 40): readonly Json[] => [
  {
    role: "assistant",
    content: [
      { type: "text", text: `Reading file ${id}.` },
      { type: "tool_use", id: `toolu_${id}`, name: "Read", input: { file_path: `src/file${id}.ts` } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `toolu_${id}`, content: words(`file ${id}`, lines) }],
  },
];
export const conversation = (steps: number): readonly Json[] => [
  says("Never touch migrations/. Fix the parser."),
  ...Array.from({ length: steps }, (_, id) => step(id)).flat(),
];
