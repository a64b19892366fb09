/**
 * A file as lines, without holding the file. Session files grow to hundreds of megabytes, most of it records no
 * model ever sees, so a wire keeps what it parsed and where it stood, never the raw text; to write, the source is
 * walked a second time and untouched lines are copied as bytes. That also keeps what is not valid UTF-8 intact.
 */
import { isUtf8 } from "node:buffer";

/** Can be walked more than once, and gives the same each time. */
export interface Source {
  chunks(): Iterable<Uint8Array>;
  lines(): Iterable<Line>;
}

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Where the line begins in the file, in bytes. */
  readonly offset: number;
  /** The bytes as they stand in the file, line end included. */
  readonly bytes: Uint8Array;
  /** Decoded, without byte order mark and line end, and without the zeros a crash of the machine leaves around what it lost. */
  readonly text: string;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export function sourceOf(content: string | Uint8Array): Source {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return sourceFrom(() => [bytes]);
}

/** From bytes as they arrive; called anew for each walk. */
export function sourceFrom(chunks: () => Iterable<Uint8Array>): Source {
  return { chunks, lines: () => linesOf(chunks()) };
}

export function* linesOf(chunks: Iterable<Uint8Array>): Generator<Line> {
  let number = 0;
  let offset = 0;
  const emit = (bytes: Uint8Array): Line => {
    const line = { number: ++number, offset, bytes, text: textOf(bytes, number) };
    offset += bytes.length;
    return line;
  };
  // A line longer than a chunk is gathered here and joined once, so that a 50 MB line is not copied per chunk.
  let pending: Uint8Array[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end + 1);
      yield emit(pending.length === 0 ? piece : Buffer.concat([...pending, piece]));
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield emit(Buffer.concat(pending));
}

/** Whether the text of this line stands for its bytes exactly. */
export function isExact(line: Line): boolean {
  return !line.text.includes("\uFFFD") || isUtf8(line.bytes);
}

/** The same for the whole source, for files that are one document. */
export function wholeText(source: Source): {
  readonly text: string;
  readonly bytes: number;
  readonly isExact: boolean;
} {
  const chunks = [...source.chunks()];
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const text = decode(bytes, ...withoutZeros(bytes, hasMark(bytes) ? 3 : 0, bytes.length));
  return { text, bytes: bytes.length, isExact: !text.includes("\uFFFD") || isUtf8(bytes) };
}

function textOf(bytes: Uint8Array, number: number): string {
  let end = bytes.length;
  if (bytes[end - 1] === NEWLINE) end -= 1;
  if (bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return decode(bytes, ...withoutZeros(bytes, number === 1 && hasMark(bytes) ? 3 : 0, end));
}

/** The next record is then appended behind them, on the same line. Zeros alone stay: a line of them is no blank line. */
function withoutZeros(bytes: Uint8Array, start: number, end: number): [start: number, end: number] {
  let [first, last] = [start, end];
  while (first < last && bytes[first] === 0) first += 1;
  while (last > first && bytes[last - 1] === 0) last -= 1;
  return first === last ? [start, end] : [first, last];
}

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** `Buffer` decodes several times faster than `TextDecoder`, and decoding is half the cost of reading. */
function decode(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("utf8", start, end);
}
