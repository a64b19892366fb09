/**
 * Sizes of images and documents, read from their headers. Providers charge by pixels and pages, never by bytes: a
 * screenshot of 2 MB of base64 is 1,500 tokens, not 1.5 million.
 *
 * Only the beginning of the base64 is decoded; a JPEG may put up to 64 KB of camera data before its size, and the
 * pages of a PDF are found only by looking through it, so PDFs are read up to 4 MB.
 */
import { largest } from "../transcript/extremes.ts";
import type { MediaSource } from "../transcript/message.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

const HEADER_BYTES = 256 * 1024;
const DOCUMENT_BYTES = 4 * 1024 * 1024;

/** The pixels of an image; undefined where only a link is known, or the header is none we know. */
export function imageSize(source: MediaSource): Size | undefined {
  if (source.kind !== "data") return undefined;
  const bytes = decode(source.base64, HEADER_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** The pages of a PDF, as far as they can be counted without unpacking it. */
export function pageCount(source: MediaSource): number | undefined {
  if (source.kind !== "data") return undefined;
  const text = decode(source.base64, DOCUMENT_BYTES).toString("latin1");
  if (!text.startsWith("%PDF")) return undefined;
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  if (pages > 0) return pages;
  // Packed page objects are out of sight; the root of the page tree often is not.
  const counts = [...text.matchAll(/\/Count\s+(\d+)/g)].map((found) => Number(found[1]));
  return counts.length > 0 ? largest(counts) : undefined;
}

function decode(base64: string, maxBytes: number): Buffer {
  const data = base64.startsWith("data:") ? base64.slice(base64.indexOf(",") + 1) : base64;
  return Buffer.from(data.slice(0, Math.ceil(maxBytes / 3) * 4), "base64");
}

function readPng(view: DataView): Size | undefined {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function readGif(view: DataView): Size | undefined {
  if (view.byteLength < 10 || view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readWebp(view: DataView): Size | undefined {
  if (view.byteLength < 30 || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250)
    return undefined;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X: 24 bits each, one less than the size
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case 0x5650384c: // VP8L: 14 bits each, one less than the size
      return {
        width: 1 + (view.getUint32(21, true) & 0x3fff),
        height: 1 + ((view.getUint32(21, true) >> 14) & 0x3fff),
      };
    case 0x56503820: // VP8: 14 bits each
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Walks the segments up to the frame header, which is the one that knows the size. */
function readJpeg(view: DataView): Size | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < view.byteLength) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) return undefined;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
