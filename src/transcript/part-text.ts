/** What of an original can be read as text, and what comes back as the thing it is. */
import type { DocumentPart, ImagePart, MediaSource, Part } from "./message.ts";
import { resultText } from "./message.ts";

export function textIn(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "thinking":
      return part.text === "" && part.encrypted !== undefined
        ? "[thinking, sealed by the provider]"
        : part.text;
    case "tool-call":
      return `${part.name}\n${typeof part.input === "string" ? part.input : JSON.stringify(part.input, null, 2)}`;
    case "tool-result":
      return resultText(part);
    case "image":
      return describeMedia("image", part.source);
    case "document":
      return part.source.kind === "text" ? part.source.text : describeMedia("document", part.source);
    case "opaque":
      return JSON.stringify(part.value, null, 2);
  }
}

/** Images and documents, whole: a host that can show them to the model does. */
export function mediaIn(part: Part): readonly (ImagePart | DocumentPart)[] {
  if (part.type === "tool-result") return part.output.flatMap(mediaIn);
  if (part.type === "document") return part.source.kind === "text" ? [] : [part];
  return part.type === "image" ? [part] : [];
}

function describeMedia(what: string, source: MediaSource): string {
  switch (source.kind) {
    case "data":
      return `[${what}: ${source.mediaType}, ${Math.floor(source.base64.length * 0.75)} bytes]`;
    case "text":
      return `[${what}: ${source.mediaType}]`;
    case "url":
      return `[${what}: ${source.url}]`;
    case "file":
      return `[${what}: file ${source.id}]`;
  }
}
