/** How many texts are remembered, and how long ones: few, for there may be very many rules. */
const textsMax = 16;
const lengthMax = 512;

/** What is known of values by their texts, as long as texts come back. */
export class TextCostCache {
  readonly #costs = new Map<string, number>();
  #isUseful = true;
  #hasHits = false;

  /** Whether it is worth while to come with a text: not when as many as are remembered came once and never again. */
  get isUseful(): boolean {
    return this.#isUseful;
  }

  costOf(text: string): number | undefined {
    const cost = this.#costs.get(text);
    if (cost !== undefined) this.#hasHits = true;
    return cost;
  }

  note(text: string, cost: number): void {
    if (text.length > lengthMax) return;
    if (this.#costs.size >= textsMax) this.#startOver();
    this.#costs.set(text, cost);
  }

  #startOver(): void {
    this.#isUseful = this.#hasHits;
    this.#hasHits = false;
    this.#costs.clear();
  }
}
