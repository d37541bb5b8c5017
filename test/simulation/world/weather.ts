import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
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
  /** Seconds late. */
  | "answered slowly"
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
  /** About objects of this kind, in the plural; of all kinds when left out. */
  readonly kind?: string;
}

/** Streams that bring nothing. */
export type Stall = Pick<Condition, "machine" | "kind">;

/** How the network is doing. */
export class Weather {
  readonly #time: VirtualTime;
  /** Whether requests take about the same time each. */
  readonly #isSteady: boolean;
  readonly #conditions = new Set<Condition>();
  readonly #stalls = new Map<Stall, number>();
  #isCalm = false;

  constructor(time: VirtualTime, isSteady = false) {
    this.#time = time;
    this.#isSteady = isSteady;
  }

  add(condition: Condition, forMs: number): void {
    if (this.#isCalm) return;
    this.#conditions.add(condition);
    this.#time.later(forMs, () => this.#conditions.delete(condition));
  }

  /** Nothing of this arrives before that time has passed. */
  stall(stall: Stall, forMs: number): void {
    if (this.#isCalm) return;
    this.#stalls.set(stall, this.#time.nowMs + forMs);
    this.#time.later(forMs, () => this.#stalls.delete(stall));
  }

  /** When a line may arrive at the earliest. */
  stalledUntilMs(machine: string, call: Call): number {
    let untilMs = 0;
    for (const [stall, endMs] of this.#stalls) if (isAbout(stall, machine, call)) untilMs = Math.max(untilMs, endMs);
    return untilMs;
  }

  fateOf(machine: string, call: Call, random: SeededRandom): Fate {
    if (this.#conditions.size === 0) return "answered";
    const plane = planeOfPath(call.path);
    for (const condition of this.#conditions) {
      const isHere = condition.plane === undefined || condition.plane === plane;
      if (isHere && isAbout(condition, machine, call) && random.chance(condition.probability)) return condition.fate;
    }
    return "answered";
  }

  /** Most requests take a few milliseconds, some a lot longer. */
  latencyMs(random: SeededRandom): number {
    const usualMs = 0.2 + random.fraction() * 4;
    return !this.#isCalm && !this.#isSteady && random.chance(0.04) ? usualMs * 40 : usualMs;
  }

  calm(): void {
    this.#isCalm = true;
    this.#conditions.clear();
    this.#stalls.clear();
  }
}

function isAbout({ machine, kind }: Stall, name: string, { path }: Call): boolean {
  return (machine === undefined || machine === name) && (kind === undefined || path.includes(`/${kind}`));
}
