/** Artifacts: files the agent changed, and apart from them files it only read. */
import { type Message, type Part, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { atomsIn, proseWords } from "./atoms.ts";
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
      anchors: anchorsFor(path, value),
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
  readonly source: Part;
  readonly path: string;
}

function filesUsed(messages: readonly Message[]): ReadonlyMap<string, Used> {
  const used = new Map<string, Used>();
  messages.forEach(({ parts }, at) => {
    for (const part of parts) {
      if (part.type !== "tool-call") continue;
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

/** Folders of the path, the words of its name, and what is done to files: any of them beside the name tells which and why. */
function anchorsFor(path: string, base: string): readonly string[] {
  const folders = path.split("/").slice(0, -1);
  const words = [...folders, ...base.split(/[^A-Za-z]+/)].map((word) => word.toLowerCase());
  return [...new Set([...words.filter((word) => word.length > 2), ...proseWords(base), ...DONE])];
}

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
