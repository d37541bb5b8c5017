/** Memoizes a function of two objects; entries live as long as both. */
export class PairMemo<Left extends object, Right extends object, Made> {
  readonly #results = new WeakMap<Left, WeakMap<Right, Made>>();
  readonly #compute: (left: Left, right: Right) => Made;

  constructor(make: (left: Left, right: Right) => Made) {
    this.#compute = make;
  }

  of(left: Left, right: Right): Made {
    const row = this.#row(left);
    const cached = row.get(right);
    if (cached !== undefined) return cached;
    const made = this.#compute(left, right);
    row.set(right, made);
    return made;
  }

  #row(left: Left): WeakMap<Right, Made> {
    const found = this.#results.get(left);
    if (found !== undefined) return found;
    const row = new WeakMap<Right, Made>();
    this.#results.set(left, row);
    return row;
  }
}
