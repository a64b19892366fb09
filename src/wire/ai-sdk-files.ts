/**
 * Images and files of AI SDK messages. In a running program their data may be bytes or a URL object instead of a
 * string. Such an object is never copied into what we write: an untouched part goes out as it came in. Its base64
 * is made once, and remembered as long as the bytes live, because refs are made from it.
 */
import { defined, type Json, type JsonObject, object, string } from "../transcript/json.ts";
import type { DocumentPart, ImagePart, MediaSource } from "../transcript/message.ts";

type File = ImagePart | DocumentPart;

/** What a file part, an image part or a file in a result holds; nothing where it is a reference we cannot follow. */
export function readFile(fields: JsonObject): File | undefined {
  const type = string(fields["type"]) ?? "";
  if (!FILE_TYPES.has(type)) return undefined;
  const isImageType = type.startsWith("image");
  const mediaType = string(fields["mediaType"]) ?? string(fields["mimeType"]);
  const source = sourceOf(fields[dataKey(fields)], mediaType);
  if (!source) return undefined;
  if (isImageType || source.mediaType?.startsWith("image")) return { type: "image", source };
  return { type: "document", source, ...defined({ title: string(fields["filename"]) }) };
}

const FILE_TYPES = new Set(["image", "file", "media", "file-data", "file-url", "image-data", "image-url"]);

function dataKey(fields: JsonObject): string {
  return ["image", "url", "data"].find((key) => fields[key] !== undefined) ?? "data";
}

function sourceOf(data: Json | undefined, mediaType: string | undefined): MediaSource | undefined {
  const bytes = base64Of(data);
  if (bytes !== undefined) return { kind: "data", mediaType: full(mediaType) ?? guess(bytes), base64: bytes };
  const text = liveUrl(data) ?? string(data);
  if (text !== undefined) return sourceOfText(text, mediaType);
  // Since version 7 data may say what it is.
  const tagged = object(data);
  if (tagged["type"] === "data") return sourceOf(tagged["data"], mediaType);
  if (tagged["type"] === "url") return sourceOf(tagged["url"], mediaType);
  const words = tagged["type"] === "text" ? string(tagged["text"]) : undefined;
  return words === undefined
    ? undefined
    : { kind: "text", mediaType: full(mediaType) ?? "text/plain", text: words };
}

function sourceOfText(text: string, mediaType: string | undefined): MediaSource {
  const inline = /^data:([^;,]*);base64,/.exec(text);
  if (inline) {
    const base64 = text.slice(inline[0].length);
    return { kind: "data", mediaType: full(inline[1]) ?? full(mediaType) ?? guess(base64), base64 };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text.slice(0, 32)))
    return { kind: "url", url: text, ...defined({ mediaType }) };
  return { kind: "data", mediaType: full(mediaType) ?? guess(text), base64: text };
}

/** `image` and `image/*` leave the rest to be found out. */
function full(mediaType: string | undefined): string | undefined {
  return mediaType?.includes("/") && !mediaType.endsWith("*") ? mediaType : undefined;
}

/** What the first bytes say, for the four image types every provider takes. */
function guess(base64: string): string {
  if (base64.startsWith("iVBOR")) return "image/png";
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("R0lGOD")) return "image/gif";
  return base64.startsWith("UklGR") ? "image/webp" : "application/octet-stream";
}

/** The type says JSON; a program that holds its messages in memory may say otherwise. */
function base64Of(data: unknown): string | undefined {
  if (!(data instanceof Uint8Array) && !(data instanceof ArrayBuffer)) return undefined;
  const known = encoded.get(data);
  if (known !== undefined) return known;
  const bytes =
    data instanceof ArrayBuffer
      ? Buffer.from(data)
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const base64 = bytes.toString("base64");
  encoded.set(data, base64);
  return base64;
}

const encoded = new WeakMap<object, string>();

function liveUrl(data: unknown): string | undefined {
  return data instanceof URL ? data.href : undefined;
}

/** `file` is the one type all versions since 5 take, for images too. A file that lies with a provider cannot be said. */
export function makeFile(part: File): JsonObject | undefined {
  const { source } = part;
  const title = part.type === "document" ? part.title : undefined;
  const file = (data: string, mediaType: string) => ({
    type: "file",
    data,
    mediaType,
    ...defined({ filename: title }),
  });
  switch (source.kind) {
    case "data":
      return file(source.base64, source.mediaType);
    case "text":
      return file(Buffer.from(source.text).toString("base64"), source.mediaType);
    case "url":
      return file(source.url, source.mediaType ?? (part.type === "image" ? "image/*" : "application/pdf"));
    case "file":
      return undefined;
  }
}

/** The part with another source, under the key the old one stood under. */
export function writeFile(part: File, old: JsonObject): JsonObject {
  const made = makeFile(part);
  if (!made) return old;
  const { filename, data } = made;
  return { ...old, [dataKey(old)]: data, ...defined({ filename }) };
}
