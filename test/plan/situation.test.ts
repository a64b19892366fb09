/** Places as numbers: rules of a plan know parts by them, so no two may share one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { placeKey } from "../../src/plan/situation.ts";

test("two places have one key only where they are the same, however many parts a message has", () => {
  const index = fc.oneof(fc.nat(3), fc.integer({ min: 1_022, max: 1_026 }), fc.nat(1_000_000));
  const place = fc.record({ messageIndex: index, partIndex: index });
  fc.assert(
    fc.property(place, place, (a, b) => {
      const isSame = a.messageIndex === b.messageIndex && a.partIndex === b.partIndex;
      expect(placeKey(a) === placeKey(b)).toBe(isSame);
    }),
    { numRuns: 500 },
  );
});
