/** Nothing is lost by sharing less; tenants choose names and dimensions, and must not fill the memory with them. */
const countMax = 100_000;

/** Values that are the same in many records are one in memory, for there may be a million of these. */
export class SharedValues<Value> {
  readonly #values = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  /** The value that is known by this key already, or else this one. */
  of(key: string, value: Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= countMax) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
