/**
 * Media as OpenAI spells it: one URL, which holds the bytes themselves or says where they are. Only the plain
 * `data:<type>;base64,` form is taken apart; any other URL is kept whole, so that it can be written as it was.
 */
import type { MediaSource } from "../transcript/message.ts";

const BASE64 = ";base64,";

export function sourceOfUrl(url: string): MediaSource {
  const comma = url.slice(0, 200).indexOf(BASE64);
  if (!url.startsWith("data:") || comma < 0 || url.slice(5, comma).includes(";")) return { kind: "url", url };
  return { kind: "data", mediaType: url.slice(5, comma), base64: url.slice(comma + BASE64.length) };
}

/** A file id is not a URL: whoever can spell one asks for it first. */
export function urlOfSource(source: MediaSource): string | undefined {
  switch (source.kind) {
    case "data":
      return `data:${source.mediaType}${BASE64}${source.base64}`;
    case "text":
      return `data:${source.mediaType}${BASE64}${Buffer.from(source.text).toString("base64")}`;
    case "url":
      return source.url;
    case "file":
      return undefined;
  }
}
