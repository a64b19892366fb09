/** What tools said went wrong, and how commands ended. */
import { type Message, type Pair, pairUp, resultText, toolUse } from "palimpsest";
import { sample } from "../cases/seeded.ts";
import { proseWords } from "./atoms.ts";
import { type Askable, labelOf } from "./facts.ts";
import { type LineProbe, normal, type PairProbe } from "./probe.ts";

const MOST = 30;
const ERROR =
  /\b(error|exception|fail(ed|ure|s)?|fatal|panic|cannot|undefined|not found|denied|refused|traceback|assert)/i;
const EXIT =
  /(?:\bexit(?:ed)?(?: with)?(?: code| status)?\s*[:=]?\s*|<returncode>|\breturncode\W{1,3}|"exit_code"\s*:\s*)(-?\d{1,3})\b/i;

/** Asked for like every fact: only where the question has one answer. Each run of a test takes other milliseconds to fail. */
export function mineErrors(messages: readonly Message[], askable: Askable): readonly LineProbe[] {
  const probes = new Map<string, LineProbe>();
  for (const pair of pairUp({ messages }).pairs) {
    if (!pair.result || !hasFailed(pair)) continue;
    for (const line of endsOf(errorLines(resultText(pair.result.part)))) {
      const value = normal(line);
      probes.set(value, {
        type: "error",
        sets: ["ALL"],
        match: "line",
        value,
        anchors: anchorsFor(pair, line),
        source: pair.result.part,
        isEarly: pair.call.messageIndex < messages.length / 4,
      });
    }
  }
  const alike = new Map<string, number>();
  for (const value of probes.keys()) alike.set(labelOf(value), (alike.get(labelOf(value)) ?? 0) + 1);
  const isAskable = ({ value, anchors }: LineProbe) =>
    alike.get(labelOf(value)) === 1 && proseWords(value).length > 0 && askable.isOne(anchors);
  return sample([...probes.values()].filter(isAskable), MOST, ({ value }) => value);
}

export function mineCommands(messages: readonly Message[]): readonly PairProbe[] {
  const probes = new Map<string, PairProbe>();
  for (const pair of pairUp({ messages }).pairs) {
    const command = commandOf(pair);
    const code = pair.result && exitCodeIn(resultText(pair.result.part));
    if (command === undefined || code === undefined || !pair.result) continue;
    probes.set(command, {
      type: "command",
      sets: ["ALL"],
      match: "pair",
      value: code,
      command,
      anchors: [...new Set(command.toLowerCase().split(/[^a-z0-9]+/))]
        .filter((word) => word.length > 1)
        .slice(0, 8),
      parts: [pair.call.part, pair.result.part],
      source: pair.result.part,
      isEarly: pair.call.messageIndex < messages.length / 4,
    });
  }
  return sample([...probes.values()], MOST, ({ command }) => command);
}

/** Said at an end of the output, where harnesses put it; in between it is someone else's. */
export function exitCodeIn(text: string): string | undefined {
  const ends = text.length <= 1_200 ? text : `${text.slice(0, 600)}\n${text.slice(-600)}`;
  return EXIT.exec(ends)?.[1];
}

function hasFailed({ result }: Pair): boolean {
  if (!result) return false;
  const code = exitCodeIn(resultText(result.part));
  return result.part.isError || (code !== undefined && code !== "0");
}

const LINE_CHARS = { least: 12, most: 300 } as const;

function errorLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= LINE_CHARS.least && line.length <= LINE_CHARS.most && ERROR.test(line));
}

function endsOf(lines: readonly string[]): readonly string[] {
  const [first] = lines;
  const last = lines.at(-1);
  return first === undefined || last === undefined ? [] : first === last ? [first] : [first, last];
}

/** The command's first line, as far as anyone would quote it. Of reading and searching nobody asks how it ended. */
function commandOf({ call }: Pair): string | undefined {
  if (toolUse(call.part).does !== "run") return undefined;
  const command = normal(toolUse(call.part).command?.split("\n")[0] ?? "")
    .slice(0, 60)
    .trim();
  return command.length < 3 ? undefined : command;
}

/** Whoever asks for an error knows what was run, and a word or two of what it was about. */
function anchorsFor(pair: Pair, line: string): readonly string[] {
  const { command = "", files } = toolUse(pair.call.part);
  const asked = `${pair.call.part.name} ${command} ${files.map(({ path }) => path).join(" ")}`.toLowerCase();
  const told = proseWords(line).slice(0, 3);
  return [...new Set([...told, ...asked.split(/[^a-z0-9]+/).filter((word) => word.length > 3)])].slice(0, 12);
}
