/** Every wire we know, and how a file finds its own. */
import { PalimpsestError } from "../errors.ts";
import { isList, type Json, object, parseJson } from "../transcript/json.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { bodyFile } from "./body-file.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { gemini } from "./gemini.ts";
import { geminiCli } from "./gemini-cli.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { opencode } from "./opencode.ts";
import { openHands } from "./openhands.ts";
import { pi } from "./pi.ts";
import { SAMPLE_BYTES, sampleOf } from "./sample.ts";
import { type Source, wholeText } from "./source.ts";
import { sweAgent } from "./swe-agent.ts";
import type { BodyWire, Sample, Session, SessionWire } from "./wire.ts";

export const bodyWires: readonly BodyWire[] = [anthropicMessages, openaiChat, openaiResponses, gemini, aiSdk];

export const sessionWires: readonly SessionWire[] = [
  claudeCode,
  codex,
  opencode,
  pi,
  geminiCli,
  copilotCli,
  cline,
  sweAgent,
  miniSweAgent,
  openHands,
];

/** Session files first: they are the more particular, and a body is recognised by less. */
const fileWires: readonly SessionWire[] = [...sessionWires, ...bodyWires.map(bodyFile)];

export const wireNames: readonly string[] = fileWires.map((wire) => wire.name);

/** What a person calls it. */
export function wireTitle(name: string): string {
  return fileWires.find((wire) => wire.name === name)?.title ?? name;
}

export function fileWireNamed(name: string): SessionWire {
  const wire = fileWires.find((candidate) => candidate.name === name);
  if (wire) return wire;
  throw new PalimpsestError("unknown-wire", `There is no wire "${name}". Known: ${wireNames.join(", ")}.`);
}

export function bodyWireNamed(name: string): BodyWire {
  const wire = bodyWires.find((candidate) => candidate.name === name);
  if (wire) return wire;
  const known = bodyWires.map((candidate) => candidate.name).join(", ");
  throw new PalimpsestError("unknown-wire", `There is no request body "${name}". Known: ${known}.`);
}

/** The wire of a list of messages, as an SDK holds it. A plain chat could be any; Chat Completions reads them all. */
export function bodyWireFor(messages: readonly Json[], named?: string | BodyWire): BodyWire {
  if (named !== undefined) return typeof named === "string" ? bodyWireNamed(named) : named;
  const best = bodyWires
    .map((wire) => ({ wire, confidence: wire.detect(messages) }))
    .reduce((a, b) => (b.confidence > a.confidence ? b : a));
  return best.confidence > 0 ? best.wire : bodyWireNamed("openai-chat");
}

/** The wire of a file, from its first few KB; or an error that says what was seen there. */
export function detectWire(sample: Sample): SessionWire {
  const { wire, confidence } = bestFor(sample);
  if (confidence > 0) return wire;
  throw new PalimpsestError(
    "unknown-wire",
    `${whatWasSeen(sample)} Known: ${wireNames.join(", ")}; --wire names one.`,
  );
}

function bestFor(sample: Sample): { readonly wire: SessionWire; readonly confidence: number } {
  return fileWires
    .map((wire) => ({ wire, confidence: wire.detect(sample) }))
    .reduce((a, b) => (b.confidence > a.confidence ? b : a));
}

/**
 * The wire of a file. A request body may begin with a system prompt larger than the sample, or with a conversation that
 * could be anybody's until the first tool call: then all of it is looked at, which reading it will do anyway.
 */
function wireOf(source: Source): SessionWire {
  const sample = sampleFrom(source);
  if (bestFor(sample).confidence === SURE || !isCutDocument(sample)) return detectWire(sample);
  const document = parseJson(wholeText(source).text);
  return detectWire(document === undefined ? sample : { ...sample, records: [document] });
}

const SURE = 2;

function isCutDocument({ text, records }: Sample): boolean {
  return records.length === 1 && parseJson(text) === undefined;
}

export function readSession(source: Source, options: { readonly wire?: string } = {}): Session {
  if (options.wire === undefined) return whatIsThere(wireOf(source), source);
  const session = fileWireNamed(options.wire).read(source);
  if (session.whole.messages.length > 0) return session;
  throw new PalimpsestError(
    "not-this-wire",
    `No message could be read from this file as ${options.wire}. ${whatElse(source)}`,
  );
}

/** A document that is torn has nothing to show, and nothing to show is no session of zero tokens. */
function whatIsThere(wire: SessionWire, source: Source): Session {
  const session = wire.read(source);
  const [lost] = session.skipped;
  if (!lost || session.whole.messages.length > 0) return session;
  const { line, bytes, why } = lost;
  throw new PalimpsestError(
    "unreadable",
    `No message could be read from this file: ${why} (line ${line}, ${bytes.toLocaleString("en-US")} bytes). It looks like ${wire.name} and was cut short, or damaged.`,
  );
}

function whatElse(source: Source): string {
  try {
    return `It looks like ${wireOf(source).name}; leave --wire out to read it as that.`;
  } catch (error) {
    return error instanceof PalimpsestError ? error.message : "";
  }
}

export function sampleFrom(source: Source): Sample {
  const head: Uint8Array[] = [];
  let length = 0;
  for (const chunk of source.chunks()) {
    head.push(chunk.subarray(0, SAMPLE_BYTES - length));
    length += chunk.length;
    if (length >= SAMPLE_BYTES) break;
  }
  return sampleOf(Buffer.concat(head));
}

function whatWasSeen(sample: Sample): string {
  if (sample.text.trim() === "") return "The file is empty.";
  const [first] = sample.records;
  // What PowerShell's `>` writes.
  if (first === undefined && /^\ufffd\ufffd.\u0000|^.\u0000.\u0000/.test(sample.text))
    return "This is UTF-16; save it as UTF-8.";
  if (first === undefined) return `This is not JSON; it begins ${JSON.stringify(sample.text.slice(0, 40))}.`;
  return `This is JSON, but no conversation we know: ${shapeOf(first)}.`;
}

function shapeOf(value: Json): string {
  if (isList(value)) return `a list of ${value.length === 0 ? "nothing" : shapeOf(value[0] ?? null)}`;
  const keys = Object.keys(object(value)).slice(0, 8);
  return keys.length === 0 ? JSON.stringify(value).slice(0, 40) : `an object with ${keys.join(", ")}`;
}
