/** Choice without chance: the same seed gives the same order on every machine, so that two runs give the same bytes. */

/** FNV-1a: stable, and spreads short strings well enough to draw a sample by. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Mulberry32: a stream of numbers in [0, 1). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** At most so many, chosen by the hash of their key, in the order they came. */
export function sample<T>(items: readonly T[], most: number, keyOf: (item: T) => string): readonly T[] {
  if (items.length <= most) return items;
  const drawn = items
    .map((item, index) => ({ item, index, at: hashOf(keyOf(item)) }))
    .sort((a, b) => a.at - b.at || a.index - b.index)
    .slice(0, most);
  return drawn.sort((a, b) => a.index - b.index).map(({ item }) => item);
}
