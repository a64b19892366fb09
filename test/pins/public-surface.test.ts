/**
 * Names and codes that other people's code relies on, frozen as literals. Red means "deliberate?", not "forbidden":
 * change the list in the commit that means to.
 */
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import * as agent from "../../src/agent/index.ts";
import type { ErrorCode } from "../../src/errors.ts";
import * as palimpsest from "../../src/index.ts";

test("the values of the public name", () => {
  expect(Object.keys(palimpsest).sort()).toEqual([
    "Meter",
    "PalimpsestError",
    "SECTIONS",
    "UNCALIBRATED",
    "addressKey",
    "addressParts",
    "arrivalTokens",
    "bodyWireNamed",
    "bodyWires",
    "calibrationOf",
    "check",
    "commandSummarizer",
    "compact",
    "cost",
    "detectWire",
    "edited",
    "estimateTokens",
    "estimatorFor",
    "extractive",
    "fileWireNamed",
    "guardCall",
    "hasUserWords",
    "inspectSession",
    "isCalibrated",
    "isDueAt",
    "isOver",
    "isOverflow",
    "isRef",
    "isWorthALook",
    "measure",
    "memoryStore",
    "modelNamed",
    "modelSummarizer",
    "needleOf",
    "netSavings",
    "observe",
    "openFile",
    "openSession",
    "openSpool",
    "openSqliteStore",
    "openWorkspace",
    "pairUp",
    "parsePolicy",
    "policyNamed",
    "policyNames",
    "predict",
    "promptTokens",
    "readSession",
    "refOf",
    "requestsOf",
    "resultText",
    "roomIn",
    "runTool",
    "sampleFrom",
    "searchRows",
    "sessionWires",
    "sourceOf",
    "stepsOf",
    "textIn",
    "tokenizerFor",
    "toolSchemas",
    "toolUse",
    "turnsOf",
    "usageFrom",
    "view",
    "wireNames",
  ]);
});

test("the values of palimpsest/agent", () => {
  expect(Object.keys(agent).sort()).toEqual([
    "CONTRIBUTORS",
    "DEFAULT_BUDGETS",
    "Spending",
    "eventLine",
    "handoffPage",
    "openAgent",
    "openModel",
  ]);
  expect(agent.DEFAULT_BUDGETS).toEqual({
    turns: 200,
    tokens: 1_000_000,
    toolCalls: 200,
    usd: 2,
    minutes: 30,
  });
});

test("the entries of the package", () => {
  expect(Object.keys(manifest.exports)).toEqual([
    ".",
    "./agent",
    "./testing",
    "./ai-sdk",
    "./langchain",
    "./openai-agents",
    "./package.json",
  ]);
  expect(Object.keys(manifest.bin)).toEqual(["palimpsest"]);
  expect(manifest.engines.node).toBe(">=20");
});

test("the names of the wires", () => {
  expect(palimpsest.wireNames).toEqual([
    "claude-code",
    "codex",
    "opencode",
    "pi",
    "gemini-cli",
    "copilot-cli",
    "cline",
    "swe-agent",
    "mini-swe-agent",
    "openhands",
    "anthropic-messages",
    "openai-chat",
    "openai-responses",
    "gemini",
    "ai-sdk",
  ]);
});

test("the error codes", () => {
  // A type is erased, so the compiler holds this list: a missing or an extra code does not compile.
  const codes: Record<ErrorCode, true> = {
    "unknown-wire": true,
    "unknown-usage": true,
    "not-this-wire": true,
    unreadable: true,
    unwritable: true,
    "cannot-write": true,
    store: true,
    policy: true,
    summary: true,
    usage: true,
  };
  expect(Object.keys(codes)).toHaveLength(10);
});
