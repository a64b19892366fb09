/** A conversation long enough to be worth compacting, as an agent's request body, made up here. */

/** Twenty steps of reading and testing, with a user who says what matters twice. */
export function longBody(name: string): string {
  const messages: object[] = [
    { role: "user", content: `Make ${name} resume after a crash. Never touch the public API of the queue.` },
  ];
  for (let step = 1; step <= 20; step += 1) {
    const id = `toolu_${name}_${step}`;
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `Step ${step}: reading what ${name} does next.` },
        { type: "tool_use", id, name: "Read", input: { file_path: `/work/${name}/part-${step}.ts` } },
      ],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: fileText(name, step) }],
    });
    if (step === 10) {
      messages.push({ role: "assistant", content: [{ type: "text", text: "Half of it is read." }] });
      messages.push({ role: "user", content: "Good. Do not add dependencies." });
    }
  }
  messages.push({ role: "assistant", content: [{ type: "text", text: `All of ${name} is read.` }] });
  return JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1024, messages });
}

/** About a thousand tokens, different in each step, with a word to look for in one. */
function fileText(name: string, step: number): string {
  const lines = Array.from(
    { length: 80 },
    (_, line) => `export const ${name}_${step}_${line} = compute(${step * 1000 + line}, "${name}-${line}");`,
  );
  return [...lines, step === 3 ? "// quarantine the poisoned jobs" : "// nothing special"].join("\n");
}
