/** Limits memory: tenants choose names and dimensions, so that the number of values is unbounded. Clearing loses only sharing. */
const countMax = 100_000;

/** Shares equal values among records, of which there may be a million. */
export class InternCache<Value> {
  readonly #values = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  /** Returns the first value that was interned under this key. */
  intern(key: string, value: Value): Value {
    const existing = this.#values.get(key);
    if (existing !== undefined) return existing;
    if (this.#values.size >= countMax) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
