/** Refs in users' stores are made of these: however a hash is taken, it is the same. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256OfBytes, sha256OfText } from "../../src/transcript/sha256.ts";

test("a text is hashed behind its head as UTF-8, be it short or long", () => {
  const text = fc.tuple(fc.string({ unit: "grapheme" }), fc.constantFrom(0, 1, 40, 1_100));
  fc.assert(
    fc.property(fc.string(), text, (head, [piece, times]) => {
      const bytes = Buffer.from(head + piece.repeat(times));
      const digest = createHash("sha256").update(bytes).digest();
      expect(Buffer.from(sha256OfText(head, piece.repeat(times)), "latin1")).toEqual(digest);
      expect(sha256OfBytes(bytes)).toEqual(digest);
    }),
  );
});
