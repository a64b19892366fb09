/**
 * A store in memory: for tests, for trying things out, and for sessions whose originals may die with the process. It keeps
 * bytes, not objects, exactly as the stores on disk do, so that what passes here passes there.
 */
import { createHash } from "node:crypto";
import { PalimpsestError } from "../errors.ts";
import type { LedgerEntry } from "../plan/ledger.ts";
import { loneTextOf } from "../transcript/lone-text.ts";
import type { Part } from "../transcript/message.ts";
import { textIn } from "../transcript/part-text.ts";
import { assertSameContent, type Blob, pack, sha256Of, stow, unpack } from "./blobs.ts";
import { recut } from "./chunks.ts";
import { ledgerLine, originalLine, pieceLine, sessionLine, sourceLine } from "./export.ts";
import { collectFrom } from "./garbage.ts";
import { blobsOf, type Kept, type Session, type State, shelfOf, sweep } from "./memory-shelf.ts";
import { nearestRefs } from "./nearest.ts";
import { type PlacedRow, pageOf, unknownSession } from "./paging.ts";
import { callIdOf, partOfBytes, type Spelling, spellings } from "./part-bytes.ts";
import { searchRows } from "./search.ts";
import type {
  Collected,
  CollectOptions,
  Original,
  Recall,
  RefPage,
  RefQuery,
  SessionFacts,
  SessionRow,
  SourceFacts,
  Store,
  StoredSource,
} from "./store.ts";
import { needleOf, searchedText, termsAmong, wordsOf } from "./words.ts";

export function memoryStore(): Store {
  return new MemoryStore();
}

/** Only what is huge is compressed here: whoever keeps originals in memory wants them at once. */
const COMPRESSED_FROM_BYTES = 256 * 1024;
const NOTHING: Part = { type: "text", text: "" };

/** What is compressed lies apart from the others, whose buffer would hold its bytes as long as theirs. */
function spelledBy(originals: readonly Original[]): ReadonlyMap<Part, Spelling> {
  const isHuge = (part: Part) => (loneTextOf(part)?.text.length ?? 0) >= COMPRESSED_FROM_BYTES;
  const parts = originals.map(({ part }) => part);
  const together = parts.filter((part) => !isHuge(part));
  const apart = parts.filter(isHuge).map((part) => [part]);
  const spelled = [together, ...apart].flatMap((some) =>
    spellings(some, Buffer.allocUnsafeSlow, Buffer.byteLength),
  );
  return new Map(spelled.map((spelling) => [spelling.part, spelling]));
}

class MemoryStore implements Store {
  readonly name = "memory";
  #state: State = { sessions: new Map(), blobs: new Map(), tombstones: new Map() };
  #seq = 0;

  async openSession({ at, ...given }: SessionFacts): Promise<void> {
    const known = this.#state.sessions.get(given.id);
    const { endedAt: _, ...before } = known?.facts ?? { id: given.id, startedAt: at, usedAt: at };
    const facts = { ...before, ...given, usedAt: Math.max(before.usedAt, at) };
    this.#state.sessions.set(given.id, { refs: new Map(), ledger: [], ...known, facts });
  }

  async session(id: string): Promise<SessionRow | undefined> {
    const session = this.#state.sessions.get(id);
    return session && this.#rowOf(session);
  }

  async sessions(): Promise<readonly SessionRow[]> {
    const rows = [...this.#state.sessions.values()].map((session) => this.#rowOf(session));
    return rows.sort((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1));
  }

  async endSession(id: string, at: number): Promise<void> {
    const session = this.#known(id);
    this.#state.sessions.set(id, { ...session, facts: { ...session.facts, endedAt: at } });
  }

  async keep(sessionId: string, originals: readonly Original[]): Promise<void> {
    const { refs } = this.#known(sessionId);
    const fresh = new Map<string, Kept>();
    const blobs = new Map<string, Blob>();
    const spelled = spelledBy(originals);
    for (const { part, ref, description, tokens, at } of originals) {
      // Each part was spelled.
      const spelling = spelled.get(part) as Spelling;
      const [bytes, sha256] = [spelling.bytes(), spelling.sha256()];
      const blob = sha256.toString("hex");
      const kept = refs.get(ref) ?? fresh.get(ref);
      if (kept && kept.blob !== blob)
        assertSameContent(this.#read(kept, blobs).part, partOfBytes(bytes, callIdOf(part)), ref);
      if (kept) continue;
      if (!this.#state.blobs.has(blob)) blobs.set(blob, { sha256, ...stow(bytes, COMPRESSED_FROM_BYTES) });
      this.#seq += 1;
      const facts = { ref, kind: part.type, description, tokens, at, callId: callIdOf(part), blob };
      fresh.set(ref, { seq: this.#seq, ...facts });
    }
    for (const [key, blob] of blobs) this.#state.blobs.set(key, blob);
    for (const [ref, kept] of fresh) refs.set(ref, kept);
    this.#use(sessionId, originals);
  }

  async recall(sessionId: string, ref: string): Promise<Recall> {
    const family = this.#familyOf(sessionId);
    for (const session of family) {
      const kept = session.refs.get(ref);
      if (kept) return { kind: "found", original: this.#read(kept) };
    }
    const parent = this.#state.sessions.get(sessionId)?.facts.parent;
    const gone = (this.#state.tombstones.get(ref) ?? []).find(
      (stone) => stone.session === sessionId || stone.session === parent || stone.parent === sessionId,
    );
    if (gone) return { kind: "expired", at: gone.at };
    const isForeign = [...this.#state.sessions.values()].some(({ refs }) => refs.has(ref));
    if (isForeign) return { kind: "foreign" };
    return {
      kind: "unknown",
      nearest: nearestRefs(
        ref,
        family.flatMap(({ refs }) => [...refs.keys()]),
      ),
    };
  }

  async list(sessionId: string, query: RefQuery): Promise<RefPage> {
    const needle = needleOf(query.contains ?? "");
    const kept = [...(this.#state.sessions.get(sessionId)?.refs.values() ?? [])];
    const rows = kept.filter(({ kind }) => query.kind === undefined || kind === query.kind);
    if (needle.terms.length === 0) return pageOf(rows.reverse(), query);
    const originals = new Map(rows.map((one) => [one.seq, this.#read(one)]));
    const saidBy = ({ seq }: PlacedRow) => textIn(originals.get(seq)?.part ?? NOTHING);
    const termsOf = (row: PlacedRow) =>
      termsAmong(wordsOf(searchedText(row.description, saidBy(row))), needle);
    return searchRows(rows, { query, needle, termsOf, saidBy });
  }

  async append(sessionId: string, entries: readonly LedgerEntry[]): Promise<void> {
    const { ledger } = this.#known(sessionId);
    for (const entry of entries) ledger.push(JSON.stringify(entry));
    this.#use(sessionId, entries);
  }

  async ledger(sessionId: string): Promise<readonly LedgerEntry[]> {
    // Only `append` writes these, from entries.
    return (this.#state.sessions.get(sessionId)?.ledger ?? []).map(
      (entry) => JSON.parse(entry) as LedgerEntry,
    );
  }

  async keepSource(sessionId: string, wire: string, chunks: Iterable<Uint8Array>): Promise<SourceFacts> {
    this.#known(sessionId);
    const whole = createHash("sha256");
    const blobs: string[] = [];
    let bytes = 0;
    for (const chunk of recut(chunks)) {
      const sha256 = sha256Of(chunk);
      const key = sha256.toString("hex");
      if (!this.#state.blobs.has(key)) this.#state.blobs.set(key, pack(chunk, sha256));
      blobs.push(key);
      whole.update(chunk);
      bytes += chunk.length;
    }
    const facts = { wire, sha256: whole.digest("hex"), bytes };
    this.#state.sessions.set(sessionId, { ...this.#known(sessionId), source: { ...facts, blobs } });
    sweep(this.#state);
    return facts;
  }

  async source(sessionId: string): Promise<StoredSource | undefined> {
    const source = this.#state.sessions.get(sessionId)?.source;
    if (!source) return undefined;
    const { blobs, ...facts } = source;
    const held = blobs.map((key) => this.#blob(key));
    return {
      ...facts,
      async *chunks() {
        for (const blob of held) yield unpack(blob, `A piece of the file of session ${sessionId}`);
      },
    };
  }

  async *exportSession(sessionId: string): AsyncIterable<string> {
    const session = this.#known(sessionId);
    yield sessionLine(this.#rowOf(session));
    for (const entry of await this.ledger(sessionId)) yield ledgerLine(entry);
    for (const kept of session.refs.values()) yield originalLine(this.#read(kept));
    const source = await this.source(sessionId);
    if (!source) return;
    yield sourceLine(source);
    for await (const chunk of source.chunks()) yield pieceLine(chunk);
  }

  async collect(options: CollectOptions): Promise<Collected> {
    if (!options.isDryRun) return collectFrom(shelfOf(this.#state, options.now), options);
    const { sessions, blobs, tombstones } = this.#state;
    const copy = { sessions: new Map(sessions), blobs: new Map(blobs), tombstones: new Map(tombstones) };
    return collectFrom(shelfOf(copy, options.now), options);
  }

  async close(): Promise<void> {}

  #known(id: string): Session {
    const session = this.#state.sessions.get(id);
    if (!session) throw unknownSession(id);
    return session;
  }

  #use(id: string, used: readonly { readonly at: number }[]): void {
    const session = this.#known(id);
    const usedAt = used.reduce((latest, { at }) => Math.max(latest, at), session.facts.usedAt);
    this.#state.sessions.set(id, { ...session, facts: { ...session.facts, usedAt } });
  }

  #familyOf(id: string): readonly Session[] {
    const own = this.#state.sessions.get(id);
    const parent = this.#state.sessions.get(own?.facts.parent ?? "");
    const children = [...this.#state.sessions.values()].filter(({ facts }) => facts.parent === id);
    return [own, parent, ...children].filter((session) => session !== undefined);
  }

  #read({ ref, description, tokens, at, blob, callId }: Kept, unsaved?: ReadonlyMap<string, Blob>): Original {
    const bytes = unpack(unsaved?.get(blob) ?? this.#blob(blob), `The original of ${ref}`);
    return { ref, description, tokens, at, part: partOfBytes(bytes, callId) };
  }

  #blob(key: string): Blob {
    const blob = this.#state.blobs.get(key);
    if (!blob) throw new PalimpsestError("store", `The store has lost the blob ${key}.`);
    return blob;
  }

  #rowOf(session: Session): SessionRow {
    const blobs = new Set(blobsOf(session));
    let bytes = 0;
    for (const key of blobs) bytes += this.#blob(key).data.length;
    const compactions = session.ledger.filter((entry) => JSON.parse(entry).kind === "compaction").length;
    return { ...session.facts, refs: session.refs.size, compactions, bytes };
  }
}
