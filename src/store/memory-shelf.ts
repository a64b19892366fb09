/** What a store in memory holds, and how it looks to whoever collects from it. */
import type { Part } from "../transcript/message.ts";
import type { Blob } from "./blobs.ts";
import { refsNamedIn, type Shelf } from "./garbage.ts";
import type { Original, SessionRow, SourceFacts } from "./store.ts";

export interface Kept extends Omit<Original, "part"> {
  readonly seq: number;
  readonly kind: Part["type"];
  readonly callId: string | undefined;
  /** The hash of its blob. */
  readonly blob: string;
}

export interface Session {
  readonly facts: Omit<SessionRow, "refs" | "compactions" | "bytes">;
  readonly refs: Map<string, Kept>;
  /** As JSON: what a caller changes later must not change what was recorded. */
  readonly ledger: string[];
  readonly source?: SourceFacts & { readonly blobs: readonly string[] };
}

interface Tombstone {
  readonly session: string;
  readonly parent: string | undefined;
  readonly at: number;
}

/** Collecting takes out whole entries and changes none: a dry run works on a copy of these three maps. */
export interface State {
  readonly sessions: Map<string, Session>;
  readonly blobs: Map<string, Blob>;
  readonly tombstones: Map<string, readonly Tombstone[]>;
}

export function shelfOf(state: State, now: number): Shelf {
  const holders = (ref: string) =>
    [...state.sessions].flatMap(([id, { refs }]) => (refs.has(ref) ? [id] : []));
  return {
    candidates: () => [...state.sessions.values()].map(({ facts }) => facts),
    *holdersNamedBy(id) {
      const session = state.sessions.get(id);
      for (const entry of session?.ledger ?? [])
        for (const ref of refsNamedIn(JSON.parse(entry))) if (!session?.refs.has(ref)) yield* holders(ref);
    },
    blobBytes: () => [...state.blobs.values()].reduce((sum, { data }) => sum + data.length, 0),
    remove(id) {
      const session = state.sessions.get(id);
      state.sessions.delete(id);
      for (const ref of session?.refs.keys() ?? []) {
        const stone = { session: id, parent: session?.facts.parent, at: now };
        state.tombstones.set(ref, [...(state.tombstones.get(ref) ?? []), stone]);
      }
      return sweep(state);
    },
  };
}

/** Removes the blobs nobody names. */
export function sweep(state: State): { readonly blobs: number; readonly bytes: number } {
  const needed = new Set([...state.sessions.values()].flatMap(blobsOf));
  const orphans = [...state.blobs].filter(([key]) => !needed.has(key));
  for (const [key] of orphans) state.blobs.delete(key);
  return { blobs: orphans.length, bytes: orphans.reduce((sum, [, { data }]) => sum + data.length, 0) };
}

export function blobsOf({ refs, source }: Session): readonly string[] {
  return [...[...refs.values()].map(({ blob }) => blob), ...(source?.blobs ?? [])];
}
