/**
 * The laws of DESIGN §2, held on random conversations for every policy. `PALIMPSEST_LAW_RUNS=10000` runs them long; CI
 * keeps to a few hundred.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { view } from "../../src/apply/view.ts";
import { compact, type Outcome } from "../../src/compact.ts";
import { addressKey } from "../../src/plan/edit.ts";
import { policyNamed, policyNames } from "../../src/plan/policies.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { check } from "../../src/transcript/check.ts";
import { canonical } from "../../src/transcript/json.ts";
import { hasUserWords, type Part, type Transcript } from "../../src/transcript/message.ts";
import { addressParts } from "../../src/transcript/ref.ts";
import { user } from "../say.ts";
import { lawRuns, legalRecords } from "./conversations.ts";

/** The default policy is what people get; the others share most of its code. */
const RUNS = lawRuns(150);
const OTHER_RUNS = lawRuns(25);
const AT = Date.UTC(2026, 10, 18);

async function opened(): Promise<Store> {
  const store = memoryStore();
  await store.openSession({ id: "s", at: AT });
  return store;
}

function run(transcript: Transcript, store: Store, policy: string): Promise<Outcome> {
  return compact(transcript, {
    store,
    sessionId: "s",
    policy: policyNamed(policy),
    trigger: "manual",
    at: AT,
    windowTokens: 600,
    targetTokens: 50,
    // Some lie there as files do; which ones follows from the conversation, so that all runs of it are alike.
    isAtRest: transcript.messages.length % 2 === 0,
  });
}

/** The same conversation as a host would resend it. */
function regenerated({ messages }: Transcript): Transcript {
  const part = (one: Part): Part =>
    "callId" in one ? { ...one, callId: `again_${one.callId}` } : { ...one };
  return { messages: messages.map((message) => ({ ...message, at: 7, parts: message.parts.map(part) })) };
}

/** Equal content has one ref, whichever call it answered. */
function content(part: Part): string {
  const { native: _native, ...fields } = { ...part, ...("callId" in part ? { callId: "" } : {}) };
  return canonical(JSON.parse(JSON.stringify(fields)));
}

const holds = (property: (transcript: Transcript) => Promise<void>, numRuns = RUNS) =>
  fc.assert(fc.asyncProperty(legalRecords, property), { numRuns });

describe.each(policyNames)("the laws, for %s", (policy) => {
  const runs = policy === "palimpsest" ? RUNS : OTHER_RUNS;
  test("1: whatever leaves is read back as it was, after every one of three compactions", () =>
    holds(async (transcript) => {
      const store = await opened();
      for (const share of [0.4, 0.7, 1]) {
        const prefix = {
          messages: transcript.messages.slice(0, Math.ceil(transcript.messages.length * share)),
        };
        await run(prefix, store, policy);
        const parts = new Map(
          addressParts(transcript).map((addressed) => [addressKey(addressed), addressed.part]),
        );
        for (const entry of await store.ledger("s")) {
          for (const edit of entry.kind === "compaction" ? entry.edits : []) {
            const recalled = await store.recall("s", edit.at.ref);
            const original = parts.get(addressKey(edit.at));
            if (recalled.kind !== "found" || !original) throw new Error(`${edit.at.ref} cannot be read back`);
            expect(content(recalled.original.part)).toBe(content(original));
          }
        }
      }
    }, runs));

  test("3, 4: what comes out is legal and smaller, or nothing was done", () =>
    holds(async (transcript) => {
      const outcome = await run(transcript, await opened(), policy);
      if (outcome.kind === "unchanged") {
        expect(outcome.transcript).toBe(transcript);
        // The check is there for what nobody thought of; a plan that it stops is a plan made wrong.
        expect([outcome.because, outcome.detail]).not.toContain("not-legal");
        return;
      }
      expect(outcome.compaction.tokensAfter).toBeLessThan(outcome.compaction.tokensBefore);
      expect(check(outcome.transcript, { as: "record", original: transcript })).toEqual([]);
    }, runs));

  test("5: the same history gives the same bytes, also with new ids and times, and the input is not touched", () =>
    holds(async (transcript) => {
      const before = JSON.stringify(transcript);
      const [store, other] = [await opened(), await opened()];
      const [first, second] = [await run(transcript, store, policy), await run(transcript, other, policy)];
      expect(JSON.stringify(second)).toBe(JSON.stringify(first));
      expect(JSON.stringify(transcript)).toBe(before);
      const ledger = await store.ledger("s");
      const words = (of: Transcript) =>
        JSON.stringify(view(of, ledger).messages, (key, value) =>
          key === "callId" || key === "at" ? undefined : value,
        );
      expect(words(regenerated(transcript))).toBe(words(transcript));
    }, runs));

  test("a rewound history is still legal, and nothing of it is made up", () =>
    holds(async (transcript) => {
      const store = await opened();
      await run(transcript, store, policy);
      const ledger = await store.ledger("s");
      for (const [end, message] of transcript.messages.entries()) {
        // Where harnesses rewind to: before something the user said, which is then said otherwise.
        if (end === 0 || !hasUserWords(message)) continue;
        const rewound = { messages: [...transcript.messages.slice(0, end), user("another way")] };
        const known = check(rewound, { as: "record", original: rewound }).map(({ code }) => code);
        const found = check(view(rewound, ledger), { as: "record", original: rewound }).map(
          ({ code }) => code,
        );
        expect(found.filter((code) => !known.includes(code))).toEqual([]);
      }
    }, runs));
});

test("2: under the default policy the user's words stay, verbatim", () =>
  holds(async (transcript) => {
    const outcome = await run(transcript, await opened(), "palimpsest");
    const shown = new Set(
      outcome.transcript.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      ),
    );
    for (const message of transcript.messages.filter(hasUserWords)) {
      for (const part of message.parts)
        if (part.type === "text" && !part.synthetic && part.text.length < 4000)
          expect(shown.has(part.text)).toBe(true);
    }
  }));
