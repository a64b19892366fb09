/** Artifacts: files the agent changed, and apart from them files it only read. */
import { type Message, pairUp, type ToolCallPart, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { atomsIn } from "./atoms.ts";
import { ASKED_WORDS } from "./facts.ts";
import type { AtomProbe } from "./probe.ts";

const MOST_READ = 30;
const MOST_CHANGED = 80;

export function mineFiles(messages: readonly Message[]): readonly AtomProbe[] {
  const probes = [...filesUsed(messages)].map(
    ([value, { isChanged, first, source, path }]): AtomProbe => ({
      type: isChanged ? "artifact" : "read-file",
      sets: isChanged ? ["ALL", "ARTIFACT"] : ["ALL"],
      match: "atom",
      value,
      anchors: [...wordsOf(path), ...DONE, source.name.toLowerCase()],
      asked: wordsOf(path).slice(0, ASKED_WORDS),
      source,
      isEarly: first < messages.length / 4,
    }),
  );
  const drawn = (type: AtomProbe["type"], most: number) =>
    sample(
      probes.filter((probe) => probe.type === type),
      most,
      ({ value }) => value,
    );
  return [...drawn("artifact", MOST_CHANGED), ...drawn("read-file", MOST_READ)];
}

interface Used {
  readonly isChanged: boolean;
  readonly first: number;
  readonly source: ToolCallPart;
  readonly path: string;
}

function filesUsed(messages: readonly Message[]): ReadonlyMap<string, Used> {
  const used = new Map<string, Used>();
  // A patch that was refused changed nothing, and names files that never were.
  const refused = new Set(
    pairUp({ messages }).pairs.flatMap(({ call, result }) => (result?.part.isError ? [call.part] : [])),
  );
  messages.forEach(({ parts }, at) => {
    for (const part of parts) {
      if (part.type !== "tool-call" || refused.has(part)) continue;
      for (const { path, does } of toolUse(part).files) {
        const base = atomsIn(path).find(({ kind }) => kind === "path")?.value;
        if (base === undefined) continue;
        const known = used.get(base) ?? { isChanged: false, first: at, source: part, path };
        used.set(base, { ...known, isChanged: known.isChanged || does !== "read" });
      }
    }
  });
  return used;
}

/** Folders of the path and the words of its name. */
function wordsOf(path: string): readonly string[] {
  const words = path.split(/[^A-Za-z0-9]+/).map((word) => word.toLowerCase());
  return [...new Set(words)].filter((word) => word.length > 2).toReversed();
}

/** What is done to files: a name beside one of these says what became of it. */
const DONE: readonly string[] = [
  "edit",
  "write",
  "creat",
  "modif",
  "chang",
  "updat",
  "add",
  "read",
  "remov",
  "delet",
  "renam",
  "fix",
];
