import { describe, expect, test } from "vitest";
import type { Json } from "../../src/transcript/json.ts";
import type { Part, Transcript } from "../../src/transcript/message.ts";
import { pairUp } from "../../src/transcript/pairs.ts";
import { gemini } from "../../src/wire/gemini.ts";
import { testBodyWire } from "../contracts/wire.ts";
import { assistant, call, result, system, thinks, transcript, user } from "../say.ts";

/** One of everything: seals, parallel calls with ids, an error, media, code execution, Google's own tool. */
const everything: Json = {
  systemInstruction: { parts: [{ text: "Be exact." }] },
  tools: [
    {
      functionDeclarations: [
        { name: "read", description: "Reads a file.", parameters: { type: "OBJECT" } },
        { name: "stat", parametersJsonSchema: { type: "object" } },
      ],
    },
    { googleSearch: {} },
  ],
  generationConfig: { temperature: 0.2, thinkingConfig: { includeThoughts: true } },
  contents: [
    { role: "user", parts: [{ text: "Look at a.ts and b.ts." }] },
    {
      role: "model",
      parts: [
        { text: "Two files.", thought: true, thoughtSignature: "c2ln" },
        { text: "Reading both." },
        { functionCall: { id: "f1", name: "read", args: { path: "a.ts" } }, thoughtSignature: "c2lnMg==" },
        { functionCall: { id: "f2", name: "read", args: { path: "b.ts" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "f1", name: "read", response: { output: "export const a = 1;" } } },
        { functionResponse: { id: "f2", name: "read", response: { error: "ENOENT: b.ts" } } },
      ],
    },
    {
      role: "model",
      parts: [
        { executableCode: { language: "PYTHON", code: "print(1)" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { text: "Done.", thoughtSignature: "c2lnMw==" },
      ],
    },
    {
      role: "user",
      parts: [
        { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
        { fileData: { mimeType: "application/pdf", fileUri: "https://files.example/spec" } },
        { text: "Then follow the spec." },
      ],
    },
  ],
};

/** As Python and Vertex send it: the other spelling, no ids, the legacy role. */
const snakeAndIdless: Json = {
  system_instruction: { parts: { text: "Short." } },
  contents: [
    { role: "user", parts: [{ text: "Weather in Rome and Oslo?" }] },
    {
      role: "model",
      parts: [
        { function_call: { name: "weather", args: { city: "Rome" } }, thought_signature: "czE=" },
        { function_call: { name: "time", args: {} } },
        { function_call: { name: "weather", args: { city: "Oslo" } } },
      ],
    },
    {
      role: "function",
      parts: [
        { function_response: { name: "weather", response: { result: { celsius: 31 } } } },
        { function_response: { name: "weather", response: { celsius: 4, wind: "NW" } } },
        { function_response: { name: "time", response: { content: "noon" } } },
      ],
    },
    { role: "model", parts: [{ text: "Warm in Rome." }] },
  ],
};

testBodyWire(gemini, [
  { name: "one of everything", value: everything },
  { name: "snake case and no ids", value: snakeAndIdless },
  { name: "a bare history", value: [{ role: "user", parts: [{ text: "Hi." }] }] },
]);

describe("gemini, what is its own", () => {
  test("reads the parts it has words for, and carries the rest", () => {
    const types = gemini.read(everything).messages.map(({ parts }) => parts.map((part) => part.type));
    expect(types[1]).toEqual(["thinking", "text", "tool-call", "tool-call"]);
    expect(types[2]).toEqual(["tool-result", "tool-result"]);
    expect(types[3]).toEqual(["opaque", "opaque", "text"]);
    expect(types[4]).toEqual(["image", "document", "text"]);
    expect(gemini.read(everything).messages[1]?.parts[0]).toMatchObject({ signature: "c2ln" });
  });

  test("an error answer is an error, and any other is not", () => {
    const results = gemini.read(everything).messages[2]?.parts;
    expect(results).toMatchObject([
      { isError: false, output: [{ text: "export const a = 1;" }] },
      { isError: true, output: [{ text: "ENOENT: b.ts" }] },
    ]);
  });

  test("calls without ids are paired by name and position, within their step", () => {
    const { pairs, orphans } = pairUp(gemini.read(snakeAndIdless));
    expect(orphans).toEqual([]);
    expect(pairs.map((pair) => [pair.call.part.input, pair.result?.part.output])).toEqual([
      [{ city: "Rome" }, [{ type: "text", text: '{"celsius":31}' }]],
      [{}, [{ type: "text", text: "noon" }]],
      [{ city: "Oslo" }, [{ type: "text", text: '{"celsius":4,"wind":"NW"}' }]],
    ]);
  });

  test("a call nobody answered does not take the answer of a later step", () => {
    const asks = (id: number) => ({ role: "model", parts: [{ functionCall: { name: "f", args: { id } } }] });
    const answer = { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "x" } } }] };
    const { pairs } = pairUp(
      gemini.read([asks(1), { role: "user", parts: [{ text: "?" }] }, asks(2), answer]),
    );
    expect(pairs.map((pair) => pair.result !== undefined)).toEqual([false, true]);
  });

  test("an answer without an id finds a call that has one", () => {
    const { pairs, orphans } = pairUp(
      gemini.read([
        { role: "model", parts: [{ functionCall: { id: "c9", name: "f", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "x" } } }] },
      ]),
    );
    expect([pairs[0]?.result?.part.callId, orphans]).toEqual(["c9", []]);
  });

  test("ids of our own making never go out, even where an answer was edited or written anew", () => {
    const original = gemini.read(snakeAndIdless);
    const edited = replacePart(original, 2, 0, (part) => ({
      ...part,
      output: [{ type: "text", text: "[stub]" }],
    }));
    expect(gemini.write(edited)).toHaveProperty("contents.2.parts.0", {
      function_response: { name: "weather", response: { result: "[stub]" } },
    });
    const { native: _, ...foreign } = edited.messages[2] ?? user();
    const mixed = { ...edited, messages: edited.messages.with(2, foreign) };
    expect(JSON.stringify(gemini.write(mixed))).not.toContain("gemini-");
    expect(pairUp(gemini.read(gemini.write(mixed))).orphans).toEqual([]);
  });

  test("an edited answer keeps its key; an object of the tool's own making becomes output", () => {
    const stub = (message: number, part: number, body: Json) =>
      gemini.write(
        replacePart(gemini.read(body), message, part, (old) => ({
          ...old,
          output: [{ type: "text", text: "S" }],
        })),
      );
    expect(stub(2, 0, everything)).toHaveProperty("contents.2.parts.0.functionResponse.response", {
      output: "S",
    });
    expect(stub(2, 1, everything)).toHaveProperty("contents.2.parts.1.functionResponse.response", {
      error: "S",
    });
    const own = "contents.2.parts.1.function_response.response";
    expect(stub(2, 1, snakeAndIdless)).toHaveProperty(own, { output: "S" });
  });

  test("a seal stays with its part when the part is edited", () => {
    const edited = replacePart(gemini.read(everything), 1, 2, (part) => ({
      ...part,
      input: { path: "c.ts" },
    }));
    expect(gemini.write(edited)).toHaveProperty("contents.1.parts.2", {
      functionCall: { id: "f1", name: "read", args: { path: "c.ts" } },
      thoughtSignature: "c2lnMg==",
    });
  });

  test("media inside an answer are read, kept when it is not edited, and gone when it becomes a stub", () => {
    const response = { name: "shot", response: { output: "ok" } };
    const parts = [{ inlineData: { mimeType: "image/png", data: "iVBOR" } }];
    const body = [{ role: "user", parts: [{ functionResponse: { ...response, parts } }] }];
    const original = gemini.read(body);
    expect(original.messages[0]?.parts[0]).toMatchObject({ output: [{ text: "ok" }, { type: "image" }] });
    const edited = replacePart(original, 0, 0, (part) => ({
      ...part,
      output: [{ type: "text", text: "ok" }],
    }));
    expect(gemini.write(edited)).toEqual([{ role: "user", parts: [{ functionResponse: response }] }]);
  });

  test("takes contents that are not a list, and gives them back as they were", () => {
    for (const contents of ["Hi.", { role: "user", parts: [{ text: "Hi." }] }, [{ text: "Hi." }]]) {
      const read = gemini.read({ contents });
      expect(read.messages).toMatchObject([{ role: "user", parts: [{ text: "Hi." }] }]);
      expect(gemini.write(read)).toEqual({ contents });
    }
  });

  test("brings a conversation from elsewhere into its shape", () => {
    const foreign: Transcript = {
      ...transcript(
        system("Be exact."),
        user("go"),
        assistant(
          thinks("sealed elsewhere", "sig"),
          call("1", "read", { path: "a" }),
          call("2", "patch", "*** Begin"),
        ),
        { role: "tool", parts: [result("1", "one")] },
        { role: "tool", parts: [result("2", "no", true)] },
        user("thanks"),
      ),
      tools: [{ name: "read", description: "Reads.", input: { type: "object" } }],
    };
    expect(gemini.write(foreign)).toEqual({
      systemInstruction: { parts: [{ text: "Be exact." }] },
      tools: [
        {
          functionDeclarations: [
            { name: "read", description: "Reads.", parametersJsonSchema: { type: "object" } },
          ],
        },
      ],
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        {
          role: "model",
          parts: [
            { functionCall: { id: "1", name: "read", args: { path: "a" } } },
            { functionCall: { id: "2", name: "patch", args: { input: "*** Begin" } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "1", name: "read", response: { output: "one" } } },
            { functionResponse: { id: "2", name: "patch", response: { error: "no" } } },
            { text: "thanks" },
          ],
        },
      ],
    });
  });
});

/** The transcript with one part changed. */
function replacePart(
  original: Transcript,
  message: number,
  part: number,
  change: (part: Part) => object,
): Transcript {
  const messages = original.messages.map((old, m) =>
    m === message
      ? { ...old, parts: old.parts.map((value, p) => (p === part ? changed(value) : value)) }
      : old,
  );
  return { ...original, messages };

  function changed(value: Part): Part {
    return { ...value, ...change(value) } as Part;
  }
}
