/**
 * Every real session, every policy, compacted once as it is and again and again as a session that keeps filling: legal for
 * the strictest provider, never larger, the same twice; and after all of it every part that ever left is read back as it
 * was, and the file is restored byte for byte.
 *
 * Ten times by the default policy, three times by the others, because CI has minutes; `PALIMPSEST_LAW_RUNS`, which makes
 * the laws run long, makes it ten for all. A session is read once and kept in one store, under a name for each policy: what
 * is the same for all of them (refs, counts, packed originals) is worked out once.
 */
import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { view } from "../src/apply/view.ts";
import { type CompactOptions, compact, type Outcome } from "../src/compact.ts";
import { openFile } from "../src/file.ts";
import { addressKey } from "../src/plan/edit.ts";
import { policyNamed, policyNames } from "../src/plan/policies.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Store } from "../src/store/store.ts";
import { renderSummary } from "../src/summarize/render.ts";
import { check } from "../src/transcript/check.ts";
import { hasUserWords, type Part, type Transcript } from "../src/transcript/message.ts";
import { pairUp } from "../src/transcript/pairs.ts";
import { addressParts } from "../src/transcript/ref.ts";
import { samePart } from "../src/transcript/same-part.ts";
import { toolUse } from "../src/transcript/tool-use.ts";
import { stepsOf } from "../src/transcript/turns.ts";
import type { Source } from "../src/wire/source.ts";
import type { Session } from "../src/wire/wire.ts";
import { readSession } from "../src/wire/wires.ts";
import { realSessions, SKIPPED } from "./real-sessions.ts";

const AT = Date.UTC(2026, 10, 18);
const isLong = process.env["PALIMPSEST_LAW_RUNS"] !== undefined;
const stageCount = (policy: string) => (policy === "palimpsest" || isLong ? 10 : 3);
const WINDOW = { windowTokens: 40_000 };

/** The conversation as it was after a tenth, two tenths, … of its steps, or a third. */
function stagesOf({ messages, ...around }: Transcript, count: number): readonly Transcript[] {
  const ends = stepsOf({ messages }).map(({ end }) => end);
  const cuts = Array.from(
    { length: count },
    (_, stage) => ends[Math.floor(((stage + 1) * ends.length) / count) - 1] ?? messages.length,
  );
  return cuts.map((end) => ({ ...around, messages: messages.slice(0, end) }));
}

interface Kept {
  readonly store: Store;
  readonly id: string;
}

const compacted = (stage: Transcript, policy: string, { store, id }: Kept, more: Partial<CompactOptions>) =>
  compact(stage, { store, sessionId: id, policy: policyNamed(policy), trigger: "manual", at: AT, ...more });

/** Read twice: what is the same by accident, because two results share an object, is not the same. */
class RealFile {
  readonly source: Source;
  readonly session: Session;
  readonly again: Session;
  readonly store: Store = memoryStore();

  constructor(path: string) {
    this.source = openFile(path);
    this.session = readSession(this.source);
    this.again = readSession(openFile(path));
  }

  async keptAs(id: string): Promise<Kept> {
    await this.store.openSession({ id, at: AT });
    await this.store.keepSource(id, this.session.wire, this.source.chunks());
    return { store: this.store, id };
  }
}

describe.skipIf(realSessions.length === 0)(`real sessions, by every policy (${SKIPPED})`, () => {
  describe.each(realSessions)("$name", ({ path }) => {
    let opened: RealFile | undefined;
    const file = () => {
      opened ??= new RealFile(path);
      return opened;
    };
    afterAll(() => {
      opened = undefined;
    });

    test.each(policyNames)("once, by %s", async (policy) => {
      const { whole } = file().session;
      const kept = await file().keptAs(`${policy}, once`);
      const outcome = await compacted(whole, policy, kept, {});
      expectSound(outcome, whole);
      await expectAllRecalled(whole, kept);
      expect(await restored(kept)).toBe(hashOf(file().source.chunks()));
      const apart = { store: memoryStore(), id: "apart" };
      await apart.store.openSession({ id: "apart", at: AT });
      const same = await compacted(file().again.whole, policy, apart, {});
      expect(idOf(same)).toBe(idOf(outcome));
    });

    test.each(policyNames)("again and again, by %s", async (policy) => {
      const stages = stagesOf(file().session.whole, stageCount(policy));
      const kept = await file().keptAs(`${policy}, again`);
      const last = stages.at(-1) ?? file().session.whole;
      const outcomes: Outcome[] = [];
      let same: Outcome | undefined;
      for (const stage of stages) {
        if (stage === last) same = await compacted(stage, policy, kept, { ...WINDOW, isDryRun: true });
        outcomes.push(await compacted(stage, policy, kept, WINDOW));
        expectSound(outcomes.at(-1));
      }
      expect(idOf(same)).toBe(idOf(outcomes.at(-1)));
      await expectAllRecalled(last, kept);
      if (policy === "palimpsest") expectKept(last, outcomes, view(last, await kept.store.ledger(kept.id)));
    });
  });
});

/** Legal, and smaller where anything was done. Thinking is held against the history only where nothing came before. */
function expectSound(outcome: Outcome | undefined, original = outcome?.transcript): void {
  if (!outcome || !original) throw new Error("Nothing came of it.");
  if (outcome.kind === "compacted")
    expect(outcome.compaction.tokensAfter).toBeLessThan(outcome.compaction.tokensBefore);
  expect(check(outcome.transcript, { as: "record", original })).toEqual([]);
}

function idOf(outcome: Outcome | undefined): string | undefined {
  return outcome?.kind === "compacted" ? outcome.compaction.id : outcome?.because;
}

async function restored({ store, id }: Kept): Promise<string> {
  const source = await store.source(id);
  if (!source) throw new Error(`${id} has no source.`);
  const hash = createHash("sha256");
  for await (const chunk of source.chunks()) hash.update(chunk);
  return hash.digest("hex");
}

function hashOf(chunks: Iterable<Uint8Array>): string {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

async function expectAllRecalled(transcript: Transcript, { store, id }: Kept): Promise<void> {
  const parts = new Map(addressParts(transcript).map((addressed) => [addressKey(addressed), addressed.part]));
  for (const entry of await store.ledger(id)) {
    for (const { at } of entry.kind === "compaction" ? entry.edits : []) {
      const recalled = await store.recall(id, at.ref);
      const original = parts.get(addressKey(at));
      if (recalled.kind !== "found" || !original)
        throw new Error(`${at.ref} cannot be read back: ${recalled.kind}`);
      expect(samePart(sameCall(recalled.original.part), sameCall(original))).toBe(true);
    }
  }
}

/** Equal content has one ref, whichever call it answered. */
function sameCall(part: Part): Part {
  return "callId" in part ? { ...part, callId: "" } : part;
}

/** Laws 2 and 7: the user's words are there, and so is every file that was changed by what was folded. */
function expectKept(transcript: Transcript, outcomes: readonly Outcome[], shown: Transcript): void {
  const texts = new Set(
    shown.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []))),
  );
  for (const message of transcript.messages.filter(hasUserWords)) {
    for (const part of message.parts)
      if (part.type === "text" && !part.synthetic && part.text.length < 8_000)
        expect(texts.has(part.text), part.text.slice(0, 80)).toBe(true);
  }
  const last = outcomes.findLast(
    (outcome) => outcome.kind === "compacted" && outcome.compaction.summary !== undefined,
  );
  const summary =
    last?.kind === "compacted" && last.compaction.summary ? renderSummary(last.compaction.summary) : "";
  const visible = `${summary}\n${JSON.stringify(shown.messages)}`;
  for (const { call, result } of pairUp(transcript).pairs) {
    if (!result || result.part.isError) continue;
    for (const { does, path } of toolUse(call.part).files)
      if (does !== "read") expect(visible.includes(path.split("/").at(-1) ?? path), path).toBe(true);
  }
}
