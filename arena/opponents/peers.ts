/**
 * Peers published on npm, run as themselves where they can run without a key. They live in a workspace of their own
 * (`arena/peers`, installed by `npm run arena:peers`); where that is not installed they do not compete, and it is said.
 */
import { existsSync } from "node:fs";
import {
  compact,
  type Json,
  type Message,
  memoryStore,
  type Part,
  policyNamed,
  resultText,
  type Session,
  type Summary,
} from "palimpsest";
import { charsOf, linesOf } from "../probes/lines.ts";
import { Shown } from "../probes/shown.ts";
import { fitBudget } from "./fit-budget.ts";
import type { Arranged, Left, Opponent } from "./opponent.ts";
import { timeAt } from "./policies.ts";

interface Peer {
  readonly name: string;
  /** What must be installed, and the function of `peers.mjs` that runs it. */
  readonly package: string;
  readonly runs: string;
  /** Whether it has a model summarize: then it is given what the extractor writes, as every policy is. */
  readonly isSummarizing: boolean;
}

const PEERS: readonly Peer[] = [
  { name: "npm:ai pruneMessages", package: "ai", runs: "pruneMessages", isSummarizing: false },
  { name: "npm:langchain edits", package: "langchain", runs: "contextEditing", isSummarizing: false },
  { name: "npm:deepagents", package: "deepagents", runs: "deepagents", isSummarizing: true },
];

/** Beside the sources, or three floors up from where they are built to. */
const FOLDERS: readonly URL[] = ["../peers/", "../../../arena/peers/"].map(
  (path) => new URL(path, import.meta.url),
);

export const HOW_TO_INSTALL = "npm run arena:peers";

export const peerNames: readonly string[] = PEERS.map(({ name }) => name);

/** Those that are installed. */
export function peerOpponents(): readonly Opponent[] {
  return PEERS.flatMap((peer) => {
    const folder = folderOf(peer);
    return folder ? [peerOpponent(peer, folder)] : [];
  });
}

export function missingPeers(): readonly string[] {
  return PEERS.filter((peer) => !folderOf(peer)).map(({ name }) => name);
}

function folderOf(peer: Peer): URL | undefined {
  return FOLDERS.find((url) => existsSync(new URL(`node_modules/${peer.package}/package.json`, url)));
}

function peerOpponent(peer: Peer, folder: URL): Opponent {
  return {
    name: peer.name,
    kind: "peer",
    run: (arranged) => fitBudget(arranged, (tried) => once(peer, folder, tried)),
  };
}

interface PeerPart {
  readonly id?: string;
  readonly text?: string;
}

interface PeerAnswer {
  readonly stages: readonly { readonly parts: readonly PeerPart[] }[];
  readonly files: readonly string[];
}

type Run = (order: Json) => Promise<PeerAnswer>;

async function once(peer: Peer, folder: URL, arranged: Arranged): Promise<Left> {
  const { session, cuts, windowTokens, budgetChars } = arranged;
  const messages = session.whole.messages.slice(0, cuts.at(-1) ?? 0);
  const summary = peer.isSummarizing ? await summariesOf(session, cuts, windowTokens) : [];
  const loaded = (await import(new URL("peers.mjs", folder).href)) as Readonly<Record<string, Run>>;
  const run = loaded[peer.runs];
  if (!run) throw new Error(`arena/peers/peers.mjs has no ${peer.runs}.`);
  const { stages, files } = await run({
    messages: plainly(messages),
    from: cuts,
    summary,
    windowTokens,
  } as unknown as Json);
  const shown = stages.map(({ parts }) => shownOf(parts, messages));
  const last = shown.at(-1) ?? new Shown([]);
  const chars = charsOf(last.lines);
  return {
    ...{ shown: last, chars, refused: 0, stages: shown },
    fits: budgetChars === undefined || chars <= budgetChars,
    isStored: (value) => files.some((text) => text.includes(value)),
  };
}

/** Messages as plain data, each part with the id it is found again by. */
function plainly(messages: readonly Message[]): readonly Json[] {
  const calls = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])),
  );
  const names = new Map(calls.map(({ callId, name }) => [callId, name]));
  return messages.map(
    ({ role, parts }, at): Json => ({
      role,
      parts: parts.flatMap((part, index) => plainPart(part, `${at}.${index}`, names)),
    }),
  );
}

function plainPart(part: Part, id: string, names: ReadonlyMap<string, string>): readonly Json[] {
  switch (part.type) {
    case "text":
    case "thinking":
      return [{ id, type: part.type, text: part.text }];
    case "tool-call":
      return [{ id, type: "call", callId: part.callId, name: part.name, input: part.input }];
    case "tool-result": {
      const name = names.get(part.callId) ?? "tool";
      return [{ id, type: "result", callId: part.callId, name, text: resultText(part) }];
    }
    default:
      return [];
  }
}

function shownOf(parts: readonly PeerPart[], messages: readonly Message[]): Shown {
  const written = parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
  const shown = parts.flatMap(({ id, text }): readonly Part[] => {
    if (text !== undefined) return [{ type: "text", text }];
    const [at, index] = (id ?? "").split(".").map(Number);
    const part = messages[at ?? -1]?.parts[index ?? -1];
    return part ? [part] : [];
  });
  return new Shown(Shown.of([{ role: "user", parts: shown }]).lines, linesOf(written), new Set(shown));
}

/** What the extractor writes at each cut, in the words any model's summary is replaced by here. */
async function summariesOf(
  session: Session,
  cuts: readonly number[],
  windowTokens: number,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const policy = policyNamed("deepagents-offload");
  const fixed = { sessionId: "arena", policy, trigger: "manual", windowTokens, isDryRun: true } as const;
  for (const cut of cuts) {
    const transcript = { ...session.whole, messages: session.whole.messages.slice(0, cut) };
    const now = { store: memoryStore(), ledger: [], at: timeAt(session, cut) };
    const outcome = await compact(transcript, { ...fixed, ...now });
    texts.push(outcome.kind === "compacted" ? textOf(outcome.compaction.summary) : "");
  }
  return texts;
}

function textOf(summary: Summary | undefined): string {
  return Object.entries(summary?.sections ?? {})
    .map(([name, lines]) => `## ${name}\n${(lines ?? []).map(({ text }) => `- ${text}`).join("\n")}`)
    .join("\n\n");
}
