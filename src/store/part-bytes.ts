/**
 * A part as bytes, and back. The bytes are a line of JSON and, behind it, the text of the part as it is: escaping megabytes
 * of output would cost more than all the rest. Text with lone surrogates, which UTF-8 cannot hold, stays in the JSON. Left
 * out are `native` (the host's spelling) and `callId` (the host makes new ones when it resumes): the same file read in two
 * sessions is then one blob. The call id stands beside the ref instead.
 *
 * The same part must give the same bytes in every version: stores find by hash what they have already.
 */
import { isWellFormed, type LoneText } from "../transcript/lone-text.ts";
import type { Part } from "../transcript/message.ts";
import { type AddressedText, addressedText } from "../transcript/ref.ts";
import { sha256OfBytes } from "../transcript/sha256.ts";

/** Three bytes for each UTF-16 unit: the most UTF-8 can take. Memory that is not written to is never given. */
function mostBytes(text: string): number {
  return 3 * text.length;
}

/** Those that are asked for their bytes one after the other lie side by side, where they can. */
export function spellings(
  parts: readonly Part[],
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
  bytesIn: (text: string) => number = mostBytes,
): readonly Spelling[] {
  const drafts = parts.map(draftOf);
  const bytes = drafts.reduce((sum, { head, text }) => sum + bytesIn(head) + bytesIn(text), 0);
  const page = { buffer: allocate(bytes), end: 0 };
  // As many drafts as parts.
  return parts.map((part, index) => new Spelling(part, drafts[index] as Draft, page));
}

/** One buffer for all: one for each costs more than writing it. */
interface Page {
  readonly buffer: Buffer;
  end: number;
}

/** A part as bytes when it is first asked for, so that what is spelled can be at work elsewhere while the next one is. */
export class Spelling {
  readonly part: Part;
  readonly #draft: Draft;
  readonly #page: Page;
  #bytes: Uint8Array | undefined;
  #sha256: Buffer | undefined;

  constructor(part: Part, draft: Draft, page: Page) {
    this.part = part;
    this.#draft = draft;
    this.#page = page;
  }

  bytes(): Uint8Array {
    this.#bytes ??= this.#written() ?? Buffer.from(jsonOf(this.part));
    return this.#bytes;
  }

  /** Of its bytes. That of a text was taken when it was addressed. */
  sha256(): Buffer {
    const { digest } = this.#draft;
    this.#sha256 ??= digest === undefined ? sha256OfBytes(this.bytes()) : Buffer.from(digest, "latin1");
    return this.#sha256;
  }

  /** `undefined` where UTF-8 cannot hold it. */
  #written(): Uint8Array | undefined {
    const { buffer, end: start } = this.#page;
    const { head, text } = this.#draft;
    const from = start + buffer.write(head, start);
    const end = from + buffer.write(text, from);
    if (!isFaithful(text, buffer, { from, end })) return undefined;
    this.#page.end = end;
    return buffer.subarray(start, end);
  }
}

/** What a lone surrogate becomes in UTF-8. */
const REPLACED = Buffer.from("\ufffd");

/**
 * Whether UTF-8 held the text; as many bytes as units is all ASCII, which needs not be asked. Looking for the replacement among
 * the bytes takes a tenth of what looking for lone surrogates in the text does, and only where one is found is there more to ask.
 */
function isFaithful(text: string, buffer: Buffer, { from, end }: Stretch): boolean {
  return end - from === text.length || !buffer.subarray(from, end).includes(REPLACED) || isWellFormed(text);
}

interface Stretch {
  readonly from: number;
  readonly end: number;
}

interface Draft extends LoneText {
  readonly digest?: string;
}

/** The JSON, and behind it the one text that makes up nearly all of a part, where it has one. */
function draftOf(part: Part): Draft {
  const known = addressedBytes(part);
  if (known) return known;
  const first = part.type === "tool-result" ? part.output[0] : part;
  const isAlone = part.type !== "tool-result" || part.output.length === 1;
  if (!isAlone || (first?.type !== "text" && first?.type !== "thinking"))
    return { head: jsonOf(part), text: "" };
  return { head: `${jsonOf(part, SAID_BEHIND)}\n`, text: first.text };
}

/** Of a part that says nothing besides its text: its bytes are those its ref was made of. */
function addressedBytes(part: Part): AddressedText | undefined {
  const isBare =
    part.type === "tool-result"
      ? hasOnly(part, OF_RESULT) && part.output.every((item) => hasOnly(item, OF_TEXT))
      : hasOnly(part, OF_TEXT);
  return isBare ? addressedText(part) : undefined;
}

function hasOnly(value: object, fields: ReadonlySet<string>): boolean {
  for (const field in value) if (!fields.has(field)) return false;
  return true;
}

/** What the line in front of a lone text says, and what is left out of all bytes. */
const OF_TEXT: ReadonlySet<string> = new Set(["type", "text", "native"]);
const OF_RESULT: ReadonlySet<string> = new Set(["type", "callId", "output", "isError", "native"]);

interface Left {
  readonly part: ReadonlySet<string>;
  /** Of the items of a result. */
  readonly item: ReadonlySet<string>;
}

/** What is left out of all bytes, and what else where the text stands behind the line. */
const FOR_HOSTS: Left = { part: new Set(["native", "callId"]), item: new Set(["native"]) };
const SAID_BEHIND: Left = { part: new Set([...FOR_HOSTS.part, "text"]), item: new Set(["native", "text"]) };

function jsonOf(part: Part, left: Left = FOR_HOSTS): string {
  if (part.type !== "tool-result") return jsonWithout(part, left.part);
  const items = part.output.map((item) => jsonWithout(item, left.item));
  return jsonWithout(part, left.part, `[${items.join(",")}]`);
}

/** As `JSON.stringify` spells an object that lacks some fields, without making that object: a fifth of the time. */
function jsonWithout(value: object, left: ReadonlySet<string>, output?: string): string {
  let json = "";
  for (const key in value) {
    if (left.has(key)) continue;
    const spelled = key === "output" && output ? output : JSON.stringify(value[key as keyof typeof value]);
    // Where there is no JSON for a value, `JSON.stringify` leaves the field out too.
    if (spelled !== undefined) json += `${json === "" ? "" : ","}${JSON.stringify(key)}:${spelled}`;
  }
  return `{${json}}`;
}

export function callIdOf(part: Part): string | undefined {
  return part.type === "tool-call" || part.type === "tool-result" ? part.callId : undefined;
}

export function partOfBytes(bytes: Uint8Array, callId: string | undefined): Part {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf("\n");
  const head = JSON.parse(buffer.toString("utf8", 0, end === -1 ? buffer.length : end));
  const text = end === -1 ? {} : { text: buffer.toString("utf8", end + 1) };
  // The hash of these bytes was checked, and only `bytesOfPart` makes them.
  if (head.type !== "tool-result")
    return { ...head, ...text, ...(callId === undefined ? {} : { callId }) } as Part;
  const output = head.output.map((item: object) => ({ ...item, ...text }));
  return { ...head, callId, output } as Part;
}
