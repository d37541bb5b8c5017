/** The clocks of one machine: a wall clock, which can be set, and a monotonic clock. */
export class MachineClock {
  readonly #trueMs: () => number;
  /** Speed of both clocks, relative to true time. */
  #speed = 1;
  /** Local time at the last change of speed, and the true time of that change. */
  #ranMs = 0;
  #atMs: number;
  #wallOffsetMs: number;
  /** The monotonic clock stops while the machine sleeps. */
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

  /** Local time since the start, sleep included. */
  get ranMs(): number {
    return this.#local();
  }

  /** Converts a delay of these clocks to true time. */
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

  /** Resets time and speed to true time. */
  correct(): void {
    this.set(1, 0);
    this.#wallOffsetMs = this.#atMs - this.#ranMs;
  }

  #local(): number {
    return this.#ranMs + (this.#trueMs() - this.#atMs) * this.#speed;
  }
}
