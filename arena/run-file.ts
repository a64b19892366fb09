/** One session file: what every opponent left of it, and what its requests would have cost. */
import { type CaseFile, readCase } from "./cases/files.ts";
import { opponentsNamed } from "./opponents/opponents.ts";
import type { ArenaOrder } from "./order.ts";
import { type Replayed, replaySession } from "./replay/replay-session.ts";
import { type Score, scoreSession } from "./score.ts";

export interface FileResult {
  readonly name: string;
  readonly wire: string;
  readonly repository: string;
  readonly messages: number;
  readonly scores: readonly Score[];
  readonly replay: Replayed;
}

/** Told before each part of the work what it is. */
export type Tell = (doing: string) => void;

export async function runFile(
  file: CaseFile,
  order: ArenaOrder,
  tell: Tell = () => undefined,
): Promise<FileResult | undefined> {
  tell("reading");
  const recorded = readCase(file);
  if (!recorded) return undefined;
  const { session, repository, name } = recorded;
  const opponents = opponentsNamed(order.opponents);
  const scores = await scoreSession(recorded, { ...order, opponents, tell });
  const replay = await replaySession(recorded, { ...order, opponents, tell });
  return { name, wire: session.wire, repository, messages: session.whole.messages.length, scores, replay };
}
