/** What is made of two things, remembered for as long as both are. */
export class PairMemo<Left extends object, Right extends object, Made> {
  readonly #made = new WeakMap<Left, WeakMap<Right, Made>>();
  readonly #make: (left: Left, right: Right) => Made;

  constructor(make: (left: Left, right: Right) => Made) {
    this.#make = make;
  }

  of(left: Left, right: Right): Made {
    const row = this.#row(left);
    const known = row.get(right);
    if (known !== undefined) return known;
    const made = this.#make(left, right);
    row.set(right, made);
    return made;
  }

  #row(left: Left): WeakMap<Right, Made> {
    const found = this.#made.get(left);
    if (found !== undefined) return found;
    const row = new WeakMap<Right, Made>();
    this.#made.set(left, row);
    return row;
  }
}
