/** Artifacts: files the agent changed, and apart from them files it only read. */
import { type Message, type Part, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { atomsIn, proseWords } from "./atoms.ts";
import type { AtomProbe } from "./probe.ts";

const MOST_READ = 30;
const MOST_CHANGED = 80;

export function mineFiles(messages: readonly Message[]): readonly AtomProbe[] {
  const used = new Map<string, { isChanged: boolean; first: number; source: Part; path: string }>();
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
  const probes = [...used].map(
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
  const keyOf = ({ value }: AtomProbe) => value;
  return [
    ...sample(
      probes.filter(({ type }) => type === "artifact"),
      MOST_CHANGED,
      keyOf,
    ),
    ...sample(
      probes.filter(({ type }) => type === "read-file"),
      MOST_READ,
      keyOf,
    ),
  ];
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
