/**
 * The prompt, put together from contributors as seed 001 tells it: each gives a section with a phase (constraint → tools →
 * task → memory), a priority (higher first) and whether it is sticky.
 *
 * What never changes goes into the system prompt. What does (clock, footprint, todo list, memory) goes into a note behind the
 * newest user message: once said it stands, so the cached prefix is never touched. A section is said again when its
 * text is another; a sticky one also after a fold, which may have taken the note it stood in.
 */

export const PHASES = ["constraint", "tools", "task", "memory"] as const;

export interface Section {
  readonly name: string;
  readonly phase: (typeof PHASES)[number];
  readonly priority: number;
  /** Not for compression to take: it stands in the system prompt, or is said again after a fold. */
  readonly sticky: boolean;
  readonly text: string;
}

/** What a contributor may look at. */
export interface PromptFacts {
  readonly workspace: string;
  readonly memoryFolder: string;
  readonly model: string;
  readonly now: number;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** The latest calls and how they went, oldest first. */
  readonly footprint: readonly string[];
  readonly todos: readonly Todo[];
}

export interface Todo {
  readonly text: string;
  readonly status: "open" | "doing" | "done";
}

export interface Contributor {
  readonly name: string;
  /** `system`: asked once, when the session begins. `note`: asked before each user message. */
  readonly place: "system" | "note";
  /** Nothing to say: undefined. */
  contribute(facts: PromptFacts): Promise<Omit<Section, "name"> | undefined>;
}

export async function assemble(
  contributors: readonly Contributor[],
  place: Contributor["place"],
  facts: PromptFacts,
): Promise<readonly Section[]> {
  const asked = contributors.filter((contributor) => contributor.place === place);
  const sections = await Promise.all(
    asked.map(async ({ name, contribute }) => {
      const section = await contribute(facts);
      return section && section.text.trim() !== "" ? [{ name, ...section }] : [];
    }),
  );
  return sections.flat().sort(byPhase);
}

function byPhase(a: Section, b: Section): number {
  return PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || b.priority - a.priority;
}

export function systemText(sections: readonly Section[]): string {
  return sections.map(({ text }) => text.trim()).join("\n\n");
}

/** Which sections the model has seen, and as what. */
export class Said {
  readonly #texts = new Map<string, string>();

  /** What is new since it was last said; undefined where nothing is. */
  note(
    sections: readonly Section[],
    { isFolded = false }: { readonly isFolded?: boolean } = {},
  ): string | undefined {
    const due = sections.filter(
      ({ name, text, sticky }) => this.#texts.get(name) !== text || (isFolded && sticky),
    );
    for (const { name, text } of due) this.#texts.set(name, text);
    if (due.length === 0) return undefined;
    const elements = due.map(({ name, text }) => `<${name}>\n${text.trim()}\n</${name}>`);
    return `<context note="from the agent's runtime, not from the user">\n${elements.join("\n")}\n</context>`;
  }
}
