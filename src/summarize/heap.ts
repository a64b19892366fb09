/**
 * Places in a list, the highest score on top; of equals the first, so that the same input gives the same page. It knows
 * where each of them is, so that a score can rise too.
 */
export class Heap {
  readonly #scores: Float64Array;
  readonly #items: Int32Array;
  #size = 0;
  /** Where each is among the items; -1 where it is not. */
  readonly #at: Int32Array;

  /** Of the scores over `least`; the list is shared, and whoever lowers one says so. */
  constructor(scores: Float64Array, least: number) {
    this.#scores = scores;
    this.#items = new Int32Array(scores.length);
    this.#at = new Int32Array(scores.length).fill(-1);
    for (let index = 0; index < scores.length; index += 1) {
      if ((scores[index] as number) <= least) continue;
      this.#put(this.#size, index);
      this.#size += 1;
    }
    for (let at = (this.#size >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  get top(): number | undefined {
    return this.#size === 0 ? undefined : this.#items[0];
  }

  /** The top has less than it promised. */
  lowered(): void {
    this.#sink(0);
  }

  /** Any that has more now than it promised; one that was taken stays away. */
  raise(item: number, score: number): void {
    const at = this.#at[item] as number;
    if (at < 0 || score <= (this.#scores[item] as number)) return;
    this.#scores[item] = score;
    this.#rise(at);
  }

  pop(): void {
    if (this.#size === 0) return;
    this.#at[this.#items[0] as number] = -1;
    this.#size -= 1;
    if (this.#size === 0) return;
    this.#put(0, this.#items[this.#size] as number);
    this.#sink(0);
  }

  #put(at: number, item: number): void {
    this.#items[at] = item;
    this.#at[item] = at;
  }

  #rise(from: number): void {
    const moved = this.#items[from] as number;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const item = this.#items[above] as number;
      if (!this.#isBefore(moved, item)) break;
      this.#put(at, item);
      at = above;
    }
    this.#put(at, moved);
  }

  #sink(from: number): void {
    const moved = this.#items[from] as number;
    let at = from;
    for (let child = this.#higherBelow(at); child !== 0; child = this.#higherBelow(at)) {
      const next = this.#items[child] as number;
      if (!this.#isBefore(next, moved)) break;
      this.#put(at, next);
      at = child;
    }
    this.#put(at, moved);
  }

  /** Of the two below; 0 where there is none. */
  #higherBelow(at: number): number {
    const items = this.#items;
    const left = 2 * at + 1;
    if (left >= this.#size) return 0;
    const right = left + 1;
    if (right >= this.#size) return left;
    return this.#isBefore(items[right] as number, items[left] as number) ? right : left;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#scores[a] as number) - (this.#scores[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  }
}
