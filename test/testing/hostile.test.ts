/** Whatever is sent gets an answer of the provider's, and never brings the server down. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { startModelServer } from "../../src/testing/index.ts";
import { CLAUDE, GPT, post, VERSION } from "./ask.ts";

const PATHS = [
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1/chat/completions",
  "/v1/responses",
  "/v1beta/models/gemini-3-pro:generateContent",
  "/v1beta/models/gemini-3-pro:streamGenerateContent",
];

/** Keys and words that the wires look for, around any JSON at all. */
const words = fc.constantFrom(
  "user",
  "assistant",
  "tool",
  "system",
  "text",
  "tool_use",
  "tool_result",
  "thinking",
  "function_call",
  "reasoning",
  "item_reference",
  "",
  " ",
);
const leaf = fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null));
const keys = fc.constantFrom(
  "role",
  "content",
  "type",
  "text",
  "id",
  "tool_use_id",
  "tool_calls",
  "parts",
  "input",
  "call_id",
  "cache_control",
  "functionCall",
  "functionResponse",
  "thoughtSignature",
  "encrypted_content",
  "signature",
  "source",
  "function",
  "name",
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
  ),
}));

test("any JSON is answered with 200 or refused with 400 or 404, in each API", async () => {
  const server = await startModelServer({
    script: () => ({ thinking: "hm", text: "Hi.", calls: [{ name: "x" }] }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PATHS),
      value,
      value,
      fc.boolean(),
      async (path, said, other, stream) => {
        const model = path === "/v1/messages" ? CLAUDE : GPT;
        const body = {
          model,
          max_tokens: 100,
          stream,
          messages: said,
          input: said,
          contents: said,
          system: other,
          tools: other,
        };
        const answered = await post(server, path, body, VERSION);
        expect([200, 400, 404], answered.text).toContain(answered.status);
        expect(answered.text).not.toContain("palimpsest/testing:");
      },
    ),
    { numRuns: 150 },
  );
  await server.close();
});

test("bodies that are no object are not valid JSON to a provider", async () => {
  const server = await startModelServer({ script: ["Hi."] });
  for (const path of PATHS)
    for (const body of ["", "null", "[]", "3", "{", "\u0000", "<html>"]) {
      const { status } = await post(server, path, body, VERSION);
      expect([path, body, status]).toEqual([path, body, 400]);
    }
  await server.close();
});
