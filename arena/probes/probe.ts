/** A probe: one fact of the conversation before a cut, asked for after it. Mined, never written by hand. */
import type { Part } from "palimpsest";

export type ProbeType =
  | "artifact"
  | "read-file"
  | "error"
  | "command"
  | "number"
  | "reference"
  | "identifier"
  | "directive"
  | "decision"
  | "update"
  | "absent";

/** Sets are reported apart, never as one number. */
export type ProbeSet = "ALL" | "NEEDED" | "USER" | "ARTIFACT" | "UPDATE" | "ABSENT";
export const SETS: readonly ProbeSet[] = ["ALL", "NEEDED", "USER", "ARTIFACT", "UPDATE", "ABSENT"];

interface ProbeOf<M extends string> {
  readonly type: ProbeType;
  readonly sets: readonly ProbeSet[];
  readonly match: M;
  /** What must be found, byte for byte. */
  readonly value: string;
  /** Words that stood near it, wherever it was said: one of them beside the value tells what it is. */
  readonly anchors: readonly string[];
  /** What someone who asks for it knows: words of the place where it was said last, never the value. */
  readonly asked?: readonly string[];
  /** Where it was said last before the cut: what would be read again, were it lost. */
  readonly source?: Part | undefined;
  /** Whether it stood in the first quarter of what came before the cut. */
  readonly isEarly: boolean;
}

/** An exact thing on one line with at least one of its anchors. */
export type AtomProbe = ProbeOf<"atom">;
/** A whole line, white space aside. */
export type LineProbe = ProbeOf<"line">;
/** A sentence: word for word, or most of its words on one line of what was written in its place. */
export type SentenceProbe = ProbeOf<"sentence">;
/** A command and how it ended. */
export interface PairProbe extends ProbeOf<"pair"> {
  readonly command: string;
  readonly parts: readonly Part[];
}
/** A value that replaced others under the same label. */
export interface UpdateProbe extends ProbeOf<"update"> {
  readonly stale: readonly string[];
}

export type Probe = AtomProbe | LineProbe | SentenceProbe | PairProbe | UpdateProbe;

export function normal(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
