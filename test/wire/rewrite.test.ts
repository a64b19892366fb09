/** What harnesses ask of a file that was folded, beyond that we read it back: seen in the harnesses themselves. */
import { describe, expect, test } from "vitest";
import { type Json, type JsonObject, list, object } from "../../src/transcript/json.ts";
import type { Transcript } from "../../src/transcript/message.ts";
import { sourceOf } from "../../src/wire/source.ts";
import { fileWireNamed } from "../../src/wire/wires.ts";
import { fold, PAGES, written } from "../contracts/wire.ts";

const jsonl = (records: readonly Json[]) => `${records.map((value) => JSON.stringify(value)).join("\n")}\n`;
const at = (seconds: number) => `2026-02-13T21:53:${String(seconds).padStart(2, "0")}.000Z`;
const page = PAGES[0]?.messages ?? [];

function folded(wireName: string, text: string, shape = (seen: Transcript) => fold(seen, page)) {
  const wire = fileWireNamed(wireName);
  const source = sourceOf(text);
  const session = wire.read(source);
  const out = written(wire, session, source, shape(session.seen));
  return { out, again: wire.read(sourceOf(out)), session };
}

function added(text: string, out: string): readonly JsonObject[] {
  const lines = out.slice(text.length).trimEnd().split("\n");
  return lines.map((line) => object(JSON.parse(line)));
}

describe("Claude Code resumes", () => {
  const common = { isSidechain: false, userType: "external", cwd: "/w", sessionId: "s1", version: "2.1.45" };
  const record = (uuid: string, parentUuid: string | null, seconds: number, fields: JsonObject) => ({
    parentUuid,
    ...common,
    ...fields,
    uuid,
    timestamp: at(seconds),
  });
  const usage = { input_tokens: 9, cache_read_input_tokens: 90_000, output_tokens: 7 };
  const step = (n: number, parent: string) => [
    record(`a${n}`, parent, n, {
      type: "assistant",
      message: {
        id: `msg_${n}`,
        role: "assistant",
        content: [{ type: "tool_use", id: `t${n}`, name: "Bash", input: {} }],
        usage,
      },
    }),
    record(`r${n}`, `a${n}`, n, {
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `out ${n}` }],
      },
      toolUseResult: { stdout: `out ${n}` },
      sourceToolAssistantUUID: `a${n}`,
    }),
  ];
  const text = jsonl([
    record("u1", null, 0, { type: "user", message: { role: "user", content: "fix it" } }),
    ...step(1, "u1"),
    ...step(2, "r1"),
    ...step(3, "r2"),
  ]);
  const { out, again } = folded("claude-code", text);
  const records = added(text, out);
  const copies = records.filter(({ type }) => type === "assistant").map(({ message }) => object(message));

  test("a boundary without a parent, that says what was before", () => {
    expect(records[0]).toMatchObject({
      parentUuid: null,
      logicalParentUuid: "r3",
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: "manual", preTokens: 90_016 },
    });
    expect(again.compactions.at(-1)).toMatchObject({ kind: "summary", removed: [1, 2, 3, 4] });
  });

  test("one chain below it, in the order that is sent", () => {
    expect(records.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(
      records.slice(0, -1).map(({ uuid }) => uuid),
    );
    expect(records.map(({ type, isCompactSummary }) => (isCompactSummary ? "summary" : type))).toEqual([
      "system",
      "user",
      "summary",
      "assistant",
      "user",
    ]);
  });

  test("the latest leaf, so every time is later than the last one", () => {
    const times = records.map(({ timestamp }) => String(timestamp));
    expect(times.every((time, index) => time > (times[index - 1] ?? at(3)))).toBe(true);
  });

  test("no record of a response drawn in twice, no size of before, no result of before", () => {
    expect(copies.map(({ id }) => id)).not.toContain("msg_3");
    expect(copies.map(({ usage: spent }) => object(spent)["cache_read_input_tokens"])).toEqual([0]);
    expect(out.slice(text.length)).not.toContain("toolUseResult");
    expect(records.at(-1)?.["sourceToolAssistantUUID"]).toBe(records.at(-2)?.["uuid"]);
  });

  test("a large file, of which it reads only lines that begin with the parent", () => {
    const lines = out.slice(text.length).trimEnd().split("\n");
    expect(lines.every((line) => line.startsWith('{"parentUuid":'))).toBe(true);
  });
});

describe("pi goes on", () => {
  const entry = (id: string, parentId: string | null, fields: JsonObject) => ({
    id,
    parentId,
    timestamp: at(1),
    ...fields,
  });
  const says = (id: string, parentId: string | null, role: string, content: Json) =>
    entry(id, parentId, {
      type: "message",
      message: { role, content, provider: "anthropic", model: "m", api: "x" },
    });
  const text = jsonl([
    { type: "session", version: 3, id: "s", timestamp: at(0), cwd: "/w" },
    entry("m1", null, { type: "model_change", provider: "anthropic", modelId: "m" }),
    says("u1", "m1", "user", "one"),
    says("a1", "u1", "assistant", [{ type: "text", text: "first" }]),
    says("u2", "a1", "user", "two"),
    says("a2", "u2", "assistant", [{ type: "text", text: "second" }]),
  ]);

  test("on a branch of its own, with the model that was chosen", () => {
    const { out } = folded("pi", text);
    const records = added(text, out);
    expect(records[0]).toMatchObject({ type: "custom", parentId: null, data: { continues: "a2" } });
    expect(records.map(({ type }) => type)).toEqual([
      "custom",
      "model_change",
      "message",
      "custom_message",
      "message",
      "message",
    ]);
  });

  test("with a compaction where the page comes first", () => {
    const { out } = folded("pi", text, (seen) => ({
      ...seen,
      messages: [...page, ...seen.messages.slice(2)],
    }));
    const records = added(text, out);
    expect(records.map(({ type }) => type)).toEqual([
      "custom",
      "model_change",
      "compaction",
      "message",
      "message",
    ]);
    expect(records[2]).toMatchObject({ firstKeptEntryId: records[0]?.["id"] });
  });
});

describe("opencode import", () => {
  const said = (n: number, role: string) => ({
    info: { id: `msg_f000000000${n}0AAAAAAAAAAAAAA`, sessionID: "ses_1", role, time: { created: n } },
    parts: [
      {
        id: `prt_f000000000${n}1AAAAAAAAAAAAAA`,
        sessionID: "ses_1",
        messageID: `m${n}`,
        type: "text",
        text: `words ${n}`,
      },
    ],
  });
  const messages = [said(1, "user"), said(2, "assistant"), said(3, "user"), said(4, "assistant")];
  const text = JSON.stringify(
    { info: { id: "ses_1", slug: "s", projectID: "p", directory: "/w" }, messages },
    null,
    2,
  );
  const idsOf = (out: string) => {
    const document = object(JSON.parse(out));
    const stored = list(document["messages"]).map(object);
    const parts = stored.flatMap((message) => list(message["parts"]).map(object));
    return [object(document["info"]), ...stored.map(({ info }) => object(info)), ...parts].map(({ id }) =>
      String(id),
    );
  };

  test("knows none of the ids, and sorts by them as we do", () => {
    const { out } = folded("opencode", text);
    expect(idsOf(out).filter((id) => idsOf(text).includes(id))).toEqual([]);
    const order = idsOf(out).filter((id) => id.startsWith("msg_"));
    expect(order).toHaveLength(4);
    expect([...order].sort()).toEqual(order);
  });

  test("knows none of them where only a part was edited", () => {
    const edit = ({ messages: [first, ...rest], ...seen }: Transcript): Transcript => ({
      ...seen,
      messages: first
        ? [
            {
              ...first,
              parts: first.parts.map((part) => (part.type === "text" ? { ...part, text: "cut" } : part)),
            },
            ...rest,
          ]
        : [],
    });
    const { out } = folded("opencode", text, edit);
    expect(out).toContain('"cut"');
    expect(idsOf(out).filter((id) => idsOf(text).includes(id))).toEqual([]);
  });
});

describe("others", () => {
  test("Codex is told the size of what is left, and takes the record for a compaction of its own", () => {
    const item = (payload: JsonObject, type = "response_item") => ({ timestamp: at(1), type, payload });
    const message = (role: string, words: string) =>
      item({
        type: "message",
        role,
        content: [{ type: role === "user" ? "input_text" : "output_text", text: words }],
      });
    const info = {
      total_token_usage: { total_tokens: 9 },
      last_token_usage: { input_tokens: 8, output_tokens: 1, total_tokens: 9 },
    };
    const text = jsonl([
      item({ id: "s" }, "session_meta"),
      message("user", "one"),
      message("assistant", "first"),
      item({ type: "token_count", info }, "event_msg"),
      message("user", "two"),
      message("assistant", "second"),
    ]);
    const { out, again } = folded("codex", text);
    const records = added(text, out).map(({ type, payload }) => object(payload)["type"] ?? type);
    expect(records).toEqual(["compacted", "token_count", "context_compacted"]);
    expect(again.compactions[0]?.tokensAfter).toBeGreaterThan(9);
  });

  test("OpenHands forgets by a condensation, and its summary stands where the page does", () => {
    const event = (id: number, source: string, content: string) => ({
      id,
      timestamp: "2026-02-13T21:53:49",
      source,
      message: content,
      action: "message",
      args: { content },
    });
    const text = jsonl([
      event(1, "user", "one"),
      event(2, "agent", "first"),
      event(3, "user", "two"),
      event(4, "agent", "second"),
    ]);
    const { out } = folded("openhands", text);
    expect(added(text, out)).toMatchObject([
      { id: 5, action: "condensation", args: { forgotten_event_ids: [2], summary_offset: 1 } },
    ]);
  });

  test("Copilot's events still point to one another", () => {
    const event = (id: string, parentId: string | null, type: string, data: JsonObject) => ({
      type,
      data,
      id,
      parentId,
      timestamp: at(1),
    });
    const text = jsonl([
      event("e1", null, "session.start", { sessionId: "s" }),
      event("e2", "e1", "user.message", { content: "one" }),
      event("e3", "e2", "assistant.message", {
        content: "",
        toolRequests: [{ toolCallId: "c1", name: "bash", arguments: {} }],
      }),
      event("e4", "e3", "tool.execution_start", { toolCallId: "c1" }),
      event("e5", "e4", "tool.execution_complete", {
        toolCallId: "c1",
        success: true,
        result: { content: "ok" },
      }),
      event("e6", "e5", "user.message", { content: "two" }),
      event("e7", "e6", "assistant.message", { content: "second", toolRequests: [] }),
    ]);
    const { out } = folded("copilot-cli", text);
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => object(JSON.parse(line)));
    expect(events).toHaveLength(5);
    expect(events.slice(1).map(({ parentId }) => parentId)).toEqual(events.slice(0, -1).map(({ id }) => id));
  });
});
