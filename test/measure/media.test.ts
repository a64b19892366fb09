import { describe, expect, test } from "vitest";
import { estimatorFor } from "../../src/measure/count.ts";
import { imageSize, pageCount } from "../../src/measure/media.ts";
import type { MediaSource, Part } from "../../src/transcript/message.ts";

const data = (bytes: readonly number[] | Buffer, mediaType = "image/png"): MediaSource => ({
  kind: "data",
  mediaType,
  base64: Buffer.from(bytes as Buffer).toString("base64"),
});
const big = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, at) => (value >> (8 * (bytes - 1 - at))) & 255);
const little = (value: number, bytes: number) => big(value, bytes).reverse();
const letters = (text: string) => [...Buffer.from(text, "latin1")];

const png = (width: number, height: number, padding = 0) => [
  0x89,
  ...letters("PNG\r\n\u001a\n"),
  ...big(13, 4),
  ...letters("IHDR"),
  ...big(width, 4),
  ...big(height, 4),
  8,
  6,
  0,
  0,
  0,
  ...Array.from({ length: padding }, () => 7),
];
const gif = (width: number, height: number) => [
  ...letters("GIF89a"),
  ...little(width, 2),
  ...little(height, 2),
  0,
  0,
  0,
];
const jpeg = (width: number, height: number) => [
  0xff,
  0xd8,
  0xff,
  0xe1,
  ...big(40_002, 2),
  ...Array.from({ length: 40_000 }, () => 0),
  0xff,
  0xc4,
  ...big(4, 2),
  0,
  0,
  0xff,
  0xc2,
  ...big(17, 2),
  8,
  ...big(height, 2),
  ...big(width, 2),
  3,
  0,
  0,
  0,
  0,
  0,
  0,
];
const webp = (chunk: string, rest: readonly number[]) => [
  ...letters("RIFF"),
  ...big(0, 4),
  ...letters(`WEBP${chunk}`),
  ...little(10, 4),
  ...rest,
];

describe("sizes from headers", () => {
  test.each([
    ["PNG", png(1280, 720)],
    ["GIF", gif(1280, 720)],
    ["JPEG, behind 40 KB of camera data and a table", jpeg(1280, 720)],
    ["WebP, extended", webp("VP8X", [0, 0, 0, 0, ...little(1279, 3), ...little(719, 3)])],
    ["WebP, lossless", webp("VP8L", [0x2f, ...little(1279 | (719 << 14), 4), 0, 0, 0, 0, 0])],
    ["WebP, lossy", webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, ...little(1280, 2), ...little(720, 2)])],
  ])("%s", (_name, bytes) => {
    expect(imageSize(data(bytes))).toEqual({ width: 1280, height: 720 });
  });

  test.each([
    ["nothing", []],
    ["half a header", png(1280, 720).slice(0, 20)],
    ["no image", letters("hello, this is a text and no image at all")],
    ["a size of zero", png(0, 0)],
  ])("%s has no size", (_name, bytes) => {
    expect(imageSize(data(bytes))).toBeUndefined();
  });

  test("pages of a PDF are counted by their objects, or by the root of the tree", () => {
    const pages =
      "1 0 obj <</Type /Pages /Count 3>> endobj <</Type/Page>> <</Type /Page /Parent 1>> << /Type /Page>>";
    expect(pageCount(data(letters(`%PDF-1.7\n${pages}`)))).toBe(3);
    expect(pageCount(data(letters("%PDF-1.7\n<</Type/Pages/Count 12>> stream…")))).toBe(12);
    expect(pageCount(data(letters("no pdf")))).toBeUndefined();
  });
});

describe("tokens of images and documents", () => {
  const image = (bytes: readonly number[]): Part => ({ type: "image", source: data(bytes) });

  test("follow the pixels and the provider, never the bytes", () => {
    expect(estimatorFor("claude-opus-4-5").part(image(png(1000, 750)))).toBe(1000);
    expect(estimatorFor("claude-opus-4-5").part(image(png(1000, 750, 900_000)))).toBe(1000);
    expect(estimatorFor("claude-opus-4-5").part(image(png(4000, 3000)))).toBe(1600);
    expect(estimatorFor("claude-opus-4-8").part(image(png(4000, 3000)))).toBe(4784);
    expect(estimatorFor("gpt-4o").part(image(png(1024, 1024)))).toBe(85 + 4 * 170);
    expect(estimatorFor("gpt-5-mini").part(image(png(640, 320)))).toBe(Math.ceil(20 * 10 * 1.62));
    expect(estimatorFor("gemini-2.5-pro").part(image(png(300, 200)))).toBe(258);
    expect(estimatorFor("gemini-2.5-pro").part(image(png(960, 540)))).toBe(258 * 6);
    expect(estimatorFor("gemini-3-pro-preview").part(image(png(960, 540)))).toBe(1120);
  });

  test("of which only a link is known, are a stated constant", () => {
    const source: MediaSource = { kind: "url", url: `https://example.com/${"a".repeat(9000)}.png` };
    expect(estimatorFor("claude-opus-4-5").part({ type: "image", source })).toBe(1600);
    expect(estimatorFor("claude-opus-4-5").part({ type: "document", source })).toBe(30_000);
  });

  test("of a text document are those of its text", () => {
    const source: MediaSource = { kind: "text", mediaType: "text/plain", text: "one two three four five" };
    const text = estimatorFor("gpt-4o").part({
      type: "text",
      text: source.kind === "text" ? source.text : "",
    });
    expect(estimatorFor("gpt-4o").part({ type: "document", source })).toBe(text);
  });
});
