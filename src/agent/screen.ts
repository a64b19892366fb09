/**
 * Events as a person reads them: the model's words as they come, one line for each call and what came of it, notices. What
 * tools and models say is shown without control characters: it must not act on the terminal.
 */
import type { createColors } from "picocolors";
import { shorten } from "../transcript/describe.ts";
import { promptTokens } from "../transcript/message.ts";
import { count, meter } from "./context-report.ts";
import { type AgentEvent, type Ending, eventLine } from "./events.ts";

export type Colors = ReturnType<typeof createColors>;

export interface ScreenOptions {
  /** Words of the model, and events as JSON. */
  readonly out: (text: string) => void;
  /** Everything around them. On a terminal the same place. */
  readonly aside: (text: string) => void;
  readonly colors: Colors;
  readonly isJson: boolean;
  readonly columns: number;
}

export class Screen {
  readonly #options: ScreenOptions;
  #isMidLine = false;
  #held: (() => void)[] | undefined;
  #tokens = 0;
  #windowTokens = 0;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** While somebody types, what comes in waits: the agent goes on, the screen does not. */
  hold(): void {
    if (this.#isMidLine) this.#options.out("\n");
    this.#isMidLine = false;
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const show of held) show();
  }

  readonly show = (event: AgentEvent): void => {
    this.#measure(event);
    if (this.#options.isJson) this.#options.out(eventLine(event));
    else if (this.#held) this.#held.push(() => this.#render(event));
    else this.#render(event);
  };

  /** A line of ours. */
  say(text: string): void {
    if (this.#options.isJson) this.#options.out(eventLine({ type: "notice", text }));
    else this.#line(text);
  }

  /** How full the context is: `12 % of 200,000`. */
  get meter(): string {
    return `${meter(this.#tokens / Math.max(1, this.#windowTokens))} of ${count(this.#windowTokens)}`;
  }

  #measure(event: AgentEvent): void {
    if (event.type === "session") this.#windowTokens = event.windowTokens;
    if (event.type === "step") this.#tokens = promptTokens(event.usage) + event.usage.outputTokens;
    if (event.type === "compacted") this.#tokens = event.tokensAfter;
  }

  #render(event: AgentEvent, indent = ""): void {
    if (event.type === "subagent") this.#render(event.event, `${indent}  ${this.#options.colors.dim("│")} `);
    else if (event.type === "text" && indent === "") this.#words(clean(event.text));
    else if (event.type === "ended" && indent === "") this.#end(event.ending);
    else for (const line of this.#lineOf(event)) this.#line(indent + line);
  }

  /** Events that are one line, or none. */
  #lineOf(event: AgentEvent): readonly string[] {
    const { colors, columns } = this.#options;
    const width = Math.max(40, columns) - 12;
    switch (event.type) {
      case "session":
        return [colors.dim(headingOf(event))];
      case "call":
        return [`${colors.cyan("●")} ${shorten(event.what, width)}`];
      case "result":
        return [`  ${outcomeOf(event, width, colors)}`];
      case "compacted":
        return event.isSilent ? [] : [colors.magenta(foldedText(event))];
      case "steered":
        return [colors.dim("  (heard; it joins the next step)")];
      case "notice":
        return [colors.yellow(clean(event.text))];
      case "problem":
        return [colors.red(clean(event.text))];
      default:
        return [];
    }
  }

  #end(ending: Ending): void {
    const { yellow, red } = this.#options.colors;
    if (this.#isMidLine) this.#words("\n");
    if (ending.kind === "budget") this.#line(yellow(`Stopped: ${ending.why}.`));
    if (ending.kind === "interrupted") this.#line(yellow("Interrupted."));
    if (ending.kind === "failed") this.#line(red(`Stopped: ${clean(ending.why)}`));
  }

  #words(text: string): void {
    if (text === "") return;
    this.#options.out(text);
    this.#isMidLine = !text.endsWith("\n");
  }

  #line(text: string): void {
    if (this.#isMidLine) this.#options.out("\n");
    this.#isMidLine = false;
    this.#options.aside(`${text}\n`);
  }
}

function headingOf({
  id,
  model,
  policy,
  windowTokens,
  isResumed,
}: Extract<AgentEvent, { type: "session" }>): string {
  const begun = isResumed ? "resumed" : "new";
  return `${model}, ${count(windowTokens)} tokens, policy ${policy}; session ${id} (${begun})`;
}

type Done = Extract<AgentEvent, { type: "result" }>;

function outcomeOf({ text, isError }: Done, width: number, colors: Colors): string {
  const lines = text.trimEnd().split("\n");
  const said = shorten((isError ? lines.at(-1) : lines[0]) ?? "", width - 12);
  const more = lines.length > 1 ? ` (${count(lines.length)} lines)` : "";
  return isError ? colors.red(`✗ ${said}${more}`) : colors.dim(`${said}${more}`);
}

function foldedText({ tokensBefore, tokensAfter, refs }: Extract<AgentEvent, { type: "compacted" }>): string {
  return `◇ Compacted: ${count(tokensBefore)} → ${count(tokensAfter)} tokens; ${count(refs)} originals can be read back.`;
}

/** Lines and tabs stay. */
export function clean(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, "");
}
