/** A page of ours is known by the ledger, to the letter, and by who says it. */
import { expect, test } from "vitest";
import { recognisePages } from "../src/own-page.ts";
import type { LedgerEntry } from "../src/plan/ledger.ts";
import type { Message } from "../src/transcript/message.ts";
import { assistant, calls, gets, transcript, user } from "./say.ts";

const TEXT = "# Earlier work, folded\n\n## Session Intent\n- Fix it [ref_000000000000]";
const ledger: readonly LedgerEntry[] = [
  {
    kind: "compaction",
    id: "1",
    at: 0,
    policy: "palimpsest",
    trigger: "manual",
    edits: [],
    page: { role: "user", text: TEXT },
    summary: { sections: { "Session Intent": [{ text: "Fix it", refs: [] }] } },
    tokensBefore: 2,
    tokensAfter: 1,
  },
];
const found = (...messages: readonly Message[]) =>
  recognisePages(transcript(user("go"), ...messages), ledger).summaries.size;

test("the page itself is one", () => {
  expect(found(user(TEXT))).toBe(1);
});

test("the model's line before it belongs to it, and is nobody's words elsewhere", () => {
  const [entry] = ledger;
  if (entry?.kind !== "compaction" || !entry.page) throw new Error("no page");
  const led: readonly LedgerEntry[] = [{ ...entry, page: { ...entry.page, leadIn: "(folded)" } }];
  const recognised = (...messages: readonly Message[]) => recognisePages(transcript(...messages), led);
  const { transcript: read, summaries } = recognised(user("go"), assistant("(folded)"), user(TEXT));
  expect([...summaries.values()]).toEqual([entry.summary, entry.summary]);
  expect(read.messages.map(({ parts }) => parts[0])).toEqual([
    { type: "text", text: "go" },
    { type: "text", text: "(folded)", synthetic: true },
    { type: "text", text: TEXT, synthetic: true },
  ]);
  expect(recognised(user("go"), assistant("(folded)"), user("on")).summaries.size).toBe(0);
  expect(recognised(user("(folded)"), user(TEXT)).summaries.size).toBe(1);
});

test("it is one beside other words of the same speaker, which stay theirs: some wires join the two", () => {
  const { transcript: read, summaries } = recognisePages(transcript(user("go", TEXT, "and this")), ledger);
  expect(summaries.size).toBe(1);
  expect(read.messages[0]?.parts).toEqual([
    { type: "text", text: "go" },
    { type: "text", text: TEXT, synthetic: true },
    { type: "text", text: "and this" },
  ]);
});

test("nothing else is: another speaker, a tool, a changed word, words around it, a session that never wrote it", () => {
  expect(found(assistant(TEXT))).toBe(0);
  expect(found(calls("1", "Bash"), gets("1", TEXT))).toBe(0);
  expect(found(user(TEXT.replace("Fix", "Break")))).toBe(0);
  expect(found(user(`${TEXT}\nand this`))).toBe(0);
  expect(recognisePages(transcript(user(TEXT)), []).summaries.size).toBe(0);
});
