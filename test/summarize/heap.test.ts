import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "../../src/summarize/heap.ts";

type Act = { readonly does: "pop" | "lower" | "raise"; readonly item: number; readonly score: number };

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({ does: fc.constantFrom("pop", "lower", "raise"), item: fc.nat(30), score: fc.nat(9) }),
  { maxLength: 60 },
);

test("the highest score is on top, of equals the first, whatever rises, falls or is taken", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 31 }), acts, (begun, all) => {
      const scores = Float64Array.from(begun);
      const heap = new Heap(scores, 0);
      const left = new Set(begun.flatMap((score, item) => (score > 0 ? [item] : [])));
      const highest = () => [...left].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).at(0);
      for (const { does, item, score } of all) {
        const { top } = heap;
        expect(top).toBe(highest());
        if (does === "pop") {
          heap.pop();
          if (top !== undefined) left.delete(top);
        } else if (does === "raise") heap.raise(item, score);
        else if (top !== undefined && score < (scores[top] ?? 0)) {
          scores[top] = score;
          heap.lowered();
        }
      }
      expect(heap.top).toBe(highest());
    }),
  );
});
