/** Places in a list, the highest score on top; of equals the first, so that the same input gives the same page. */
export class Heap {
  readonly #scores: Float64Array;
  readonly #items: number[] = [];

  /** Of the scores over `least`. */
  constructor(scores: Float64Array, least: number) {
    this.#scores = scores;
    for (let index = 0; index < scores.length; index += 1)
      if ((scores[index] as number) > least) this.#items.push(index);
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  get top(): number | undefined {
    return this.#items[0];
  }

  get topScore(): number {
    return this.#scores[this.#items[0] ?? 0] ?? 0;
  }

  lower(score: number): void {
    const top = this.#items[0];
    if (top === undefined) return;
    this.#scores[top] = score;
    this.#sink(0);
  }

  pop(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const items = this.#items;
    const moved = items[from] as number;
    let at = from;
    for (let child = this.#higherBelow(at); child !== 0; child = this.#higherBelow(at)) {
      const next = items[child] as number;
      if (!this.#isBefore(next, moved)) break;
      items[at] = next;
      at = child;
    }
    items[at] = moved;
  }

  /** Of the two below; 0 where there is none. */
  #higherBelow(at: number): number {
    const items = this.#items;
    const left = 2 * at + 1;
    if (left >= items.length) return 0;
    const right = left + 1;
    if (right >= items.length) return left;
    return this.#isBefore(items[right] as number, items[left] as number) ? right : left;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#scores[a] as number) - (this.#scores[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  }
}
