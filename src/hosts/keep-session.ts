/**
 * Before and after a compaction the host does by itself: its session file is kept whole, and every part of it by its ref.
 * What the host then forgets can be read back, and the page says what there is.
 */
import { estimatorFor } from "../measure/count.ts";
import { originalsOf } from "../originals.ts";
import { stubsIn } from "../plan/stub.ts";
import type { Store } from "../store/store.ts";
import { type Part, resultText, type Transcript } from "../transcript/message.ts";
import { addressParts, type Ref } from "../transcript/ref.ts";
import type { Source } from "../wire/source.ts";
import { readSession } from "../wire/wires.ts";

export interface KeptSession {
  readonly transcript: Transcript;
  readonly refs: number;
}

export async function keepSession(
  store: Store,
  { sessionId, source, wire, at }: { sessionId: string; source: Source; wire: string; at: number },
): Promise<KeptSession> {
  const { whole } = readSession(source, { wire });
  await store.keepSource(sessionId, wire, source.chunks());
  return { transcript: whole, refs: await keepParts(store, whole, { sessionId, at }) };
}

/** Every part by its ref; how many. */
export async function keepParts(
  store: Store,
  transcript: Transcript,
  { sessionId, at }: { sessionId: string; at: number },
): Promise<number> {
  const cited = new Set(
    addressParts(transcript).flatMap(({ part, ref }) => (isWorthARef(part) ? [ref as Ref] : [])),
  );
  const counter = estimatorFor(transcript.model);
  const tokensOf = (part: Part) => Math.round(counter.part(part));
  await store.keep(sessionId, originalsOf(transcript, { edits: [], cited }, { tokensOf, at }));
  return cited.size;
}

/** Not what the harness said in the user's name, nor a preview of ours: its original has a ref already. */
function isWorthARef(part: Part): boolean {
  if (part.type === "text") return part.synthetic !== true && part.text.trim() !== "";
  return part.type !== "tool-result" || stubsIn(resultText(part).slice(0, 400)).length === 0;
}
