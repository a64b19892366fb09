/**
 * Keeps the session file before anything shorter is handed out. A file that grew takes the place of the one kept
 * before. A file that we wrote ourselves (its text names refs of this session) must not: `compact f -o f`, done twice,
 * would leave the store without the original. It is kept beside, under a name of its own.
 */
import type { Store } from "../store/store.ts";
import type { Part, Transcript } from "../transcript/message.ts";
import { resultText } from "../transcript/message.ts";
import { type Given, hashOf } from "./session-argument.ts";

export interface KeptFile {
  /** Under which name `restore` gives it back. */
  readonly as: string;
  readonly isBeside: boolean;
}

export interface Keeping {
  readonly at: number;
  /** The session this file was written by, where that is another one. */
  readonly parent?: string | undefined;
}

export async function keepFile(given: Given, store: Store, { at, parent }: Keeping): Promise<KeptFile> {
  const { id, session, source } = given;
  const { title, cwd } = session.about;
  const { model } = session.whole;
  const facts = {
    at,
    ...(title === undefined ? {} : { title }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === undefined ? {} : { model }),
  };
  await store.openSession({ id, ...facts, ...(parent === undefined ? {} : { parent }) });
  if (await mayTakeThePlace(given, store)) {
    await store.keepSource(id, session.wire, source.chunks());
    return { as: id, isBeside: false };
  }
  const as = `${id}@${hashOf(source).slice(0, 8)}`;
  await store.openSession({ id: as, parent: id, ...facts });
  await store.keepSource(as, session.wire, source.chunks());
  return { as, isBeside: true };
}

async function mayTakeThePlace({ id, session }: Given, store: Store): Promise<boolean> {
  const kept = await store.source(id);
  return kept === undefined || !(await namesRefsOf(session.seen, store, id));
}

/** More would only say the same: a page of ours names dozens. */
const LOOKED_UP = 20;

async function namesRefsOf(transcript: Transcript, store: Store, id: string): Promise<boolean> {
  const named = new Set<string>();
  for (const { parts } of transcript.messages)
    for (const part of parts)
      for (const [ref] of textOf(part).matchAll(/\bref_[0-9a-hjkmnp-tv-z]{12}\b/g)) named.add(ref);
  for (const ref of [...named].slice(0, LOOKED_UP))
    if ((await store.recall(id, ref)).kind === "found") return true;
  return false;
}

function textOf(part: Part): string {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" ? resultText(part) : "";
}
