/** The clocks of one machine: one on the wall, which people set, and one that only runs. */
export class MachineClock {
  readonly #trueMs: () => number;
  /** How much faster than true time both run. */
  #speed = 1;
  /** How far they had run, and when in true time. */
  #ranMs = 0;
  #atMs: number;
  #wallOffsetMs: number;
  /** How long the running clock stood still. */
  #sleptMs = 0;

  constructor(trueMs: () => number) {
    this.#trueMs = trueMs;
    this.#atMs = trueMs();
    this.#wallOffsetMs = this.#atMs;
  }

  get wallMs(): number {
    return Math.floor(this.#local() + this.#wallOffsetMs);
  }

  get elapsedMs(): number {
    return this.#local() - this.#sleptMs;
  }

  /** How far it has run, asleep or not. */
  get ranMs(): number {
    return this.#local();
  }

  /** How long in true time what takes so long by these clocks. */
  trueDelayMs(delayMs: number): number {
    return delayMs / this.#speed;
  }

  set(speed: number, wallByMs: number): void {
    this.#ranMs = this.#local();
    this.#atMs = this.#trueMs();
    this.#speed = speed;
    this.#wallOffsetMs += wallByMs;
  }

  sleep(forMs: number): void {
    this.#sleptMs += forMs * this.#speed;
  }

  /** Right again, and at the right speed. */
  correct(): void {
    this.set(1, 0);
    this.#wallOffsetMs = this.#atMs - this.#ranMs;
  }

  #local(): number {
    return this.#ranMs + (this.#trueMs() - this.#atMs) * this.#speed;
  }
}
