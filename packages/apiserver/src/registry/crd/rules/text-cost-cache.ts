/** Limits on the number and the length of cached texts: small, because there may be very many rules. */
const textsMax = 16;
const lengthMax = 512;

/** Costs of passed rules by text, as long as texts repeat. */
export class TextCostCache {
  readonly #costs = new Map<string, number>();
  #isUseful = true;
  #hasHits = false;

  /** False once as many texts as the cache holds were added without a hit: then serializing is not worth it. */
  get isUseful(): boolean {
    return this.#isUseful;
  }

  costOf(text: string): number | undefined {
    const cost = this.#costs.get(text);
    if (cost !== undefined) this.#hasHits = true;
    return cost;
  }

  add(text: string, cost: number): void {
    if (text.length > lengthMax) return;
    if (this.#costs.size >= textsMax) this.#clear();
    this.#costs.set(text, cost);
  }

  #clear(): void {
    this.#isUseful = this.#hasHits;
    this.#hasHits = false;
    this.#costs.clear();
  }
}
