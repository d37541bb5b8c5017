/** Time as a parameter, so that tests and the simulator own it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, after at least that many milliseconds. */
  after(delayMs: number, call: () => void): Timer;
}

export interface Timer {
  stop(): void;
}
