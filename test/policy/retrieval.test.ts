/** How a policy lets the model read back: which tools, how refs are described, and what is asked before a fold. */
import { expect, test } from "vitest";
import { descriptionOf } from "../../src/plan/describe-part.ts";
import { readPolicy } from "../../src/plan/policies.ts";
import { openSession } from "../../src/session.ts";
import { toolSchemasFor } from "../../src/tools.ts";
import type { Json } from "../../src/transcript/json.ts";
import type { ToolCallPart } from "../../src/transcript/message.ts";
import { call, result } from "../say.ts";

const retrieval = (tools: readonly string[]) => ({
  tools: [...tools],
  prompt: "prescriptive",
  descriptions: "semantic",
});
const policy = (own: { readonly [field: string]: Json }) =>
  readPolicy({ extends: "nucleic", name: "mine", ...own });

test.each([
  [["read_ref"], ["read_ref", "compact"]],
  [
    ["read_ref", "list_refs"],
    ["read_ref", "list_refs", "compact"],
  ],
  [
    ["read_ref", "search_refs"],
    ["read_ref", "compact", "search_refs"],
  ],
])("the interface %j gives the model %j", (tools, names) => {
  const schemas = toolSchemasFor(policy({ retrieval: retrieval(tools) }));
  expect(schemas.map(({ name }) => name)).toEqual(names);
});

test("where searching is a tool of its own, listing does not search", async () => {
  const session = await openSession({
    policy: policy({ retrieval: retrieval(["read_ref", "list_refs", "search_refs"]) }),
  });
  const listing = session.tools.schemas.find(({ name }) => name === "list_refs");
  expect(JSON.stringify(listing)).not.toContain("contains");
  const answer = await session.tools.run("search_refs", { query: "timeout" });
  expect(answer.text).toBe(`No original with "timeout" has left the context.`);
});

test("semantic descriptions: the file, the command's output, the error", () => {
  const told = (name: string, input: Json, text: string, isError = false) => {
    const asked = call("1", name, input) as ToolCallPart;
    return descriptionOf(result("1", text, isError), asked, "semantic");
  };
  expect(told("Read", { file_path: "src/config.ts" }, "x")).toBe("File: src/config.ts");
  expect(told("Bash", { command: "npx vitest run" }, "3 failed")).toBe("Command output: npx vitest run");
  expect(told("Bash", { command: "psql" }, "Error: database connection timeout\nat db.ts", true)).toBe(
    "Error: database connection timeout",
  );
});

test("before an automatic fold the host is asked to let the model write down what must last", async () => {
  const asked: string[] = [];
  const session = await openSession({
    policy: policy({ continuation: { overflowRetries: 1, flush: "Write it down." } }),
    windowTokens: 2_000,
    onFlush: async (instruction) => {
      asked.push(instruction);
      throw new Error("no model");
    },
    onError: (error) => asked.push(String(error)),
  });
  const messages = Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${"the pool keeps forty connections open. ".repeat(20)}`,
  }));
  const prepared = await session.prepare(messages.slice(0, 19), {});
  expect(asked).toEqual(["Write it down.", "Error: no model"]);
  expect(prepared.outcome?.kind).toBe("compacted");
});
