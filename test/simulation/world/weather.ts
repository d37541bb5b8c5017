import type { Call } from "../../../src/kube/transport/transport.ts";
import { planeOfPath } from "./layout.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What becomes of a request on its way. */
export type Fate =
  | "answered"
  /** The server never sees it. */
  | "request lost"
  /** The server acts, and nobody hears of it. */
  | "answer lost"
  /** Its sender has given up on it long before the server acts. */
  | "arrives late"
  /** 503: nothing was done. */
  | "unavailable"
  /** 429: nothing was done. */
  | "busy"
  /** Somebody else changes the object right before. */
  | "overtaken"
  /** Watches only: history does not reach back so far. */
  | "expired"
  /** Watches only: they begin earlier than asked. */
  | "repeated";

/** What goes wrong with some requests for some time. */
export interface Condition {
  readonly fate: Exclude<Fate, "answered">;
  readonly probability: number;
  /** Of all machines when left out. */
  readonly machine?: string;
  /** Into all planes when left out. */
  readonly plane?: string;
}

/** How the network is doing. */
export class Weather {
  readonly #time: VirtualTime;
  readonly #conditions = new Set<Condition>();
  /** Lines of streams take so much longer. */
  readonly #stalledUntilMs = new Map<string, number>();
  #isCalm = false;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  add(condition: Condition, forMs: number): void {
    if (this.#isCalm) return;
    this.#conditions.add(condition);
    this.#time.later(forMs, () => this.#conditions.delete(condition));
  }

  /** Nothing that the server streams to a machine arrives before this time has passed. */
  stall(machine: string, forMs: number): void {
    if (!this.#isCalm) this.#stalledUntilMs.set(machine, this.#time.nowMs + forMs);
  }

  stalledUntilMs(machine: string): number {
    return this.#stalledUntilMs.get(machine) ?? 0;
  }

  fateOf(machine: string, call: Call, random: SeededRandom): Fate {
    if (this.#conditions.size === 0) return "answered";
    const plane = planeOfPath(call.path);
    for (const condition of this.#conditions) {
      if (condition.machine !== undefined && condition.machine !== machine) continue;
      if (condition.plane !== undefined && condition.plane !== plane) continue;
      if (random.chance(condition.probability)) return condition.fate;
    }
    return "answered";
  }

  /** Most requests take a few milliseconds, some a lot longer. */
  latencyMs(random: SeededRandom): number {
    const usualMs = 0.2 + random.fraction() * 4;
    return !this.#isCalm && random.chance(0.04) ? usualMs * 40 : usualMs;
  }

  calm(): void {
    this.#isCalm = true;
    this.#conditions.clear();
    this.#stalledUntilMs.clear();
  }
}
