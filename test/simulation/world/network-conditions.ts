import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { planeOfPath } from "./layout.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What happens to a request. */
export type RequestFate =
  | "answered"
  /** The server never receives it. */
  | "request lost"
  /** The server acts on it, but the response is lost. */
  | "answer lost"
  /** The server acts on it long after the sender has given up. */
  | "arrives late"
  /** The server answers 503 and does nothing. */
  | "unavailable"
  /** The server answers 429 and does nothing. */
  | "busy"
  /** The response takes seconds. */
  | "answered slowly"
  /** Another client edits the object right before. */
  | "concurrent edit"
  /** Watches only: the resource version is too old. */
  | "expired"
  /** Watches only: some events are sent again. */
  | "repeated";

/** A fault that affects some requests for some time. */
export interface NetworkFault {
  readonly fate: Exclude<RequestFate, "answered">;
  readonly probability: number;
  /** All machines by default. */
  readonly machine?: string;
  /** All planes by default. */
  readonly plane?: string;
  /** Plural of a kind. All kinds by default. */
  readonly kind?: string;
}

/** Streams that deliver nothing for some time. */
export type Stall = Pick<NetworkFault, "machine" | "kind">;

/** The active faults and the latency of the network. */
export class NetworkConditions {
  readonly #time: VirtualTime;
  /** Without latency spikes. */
  readonly #hasSteadyLatency: boolean;
  readonly #faults = new Set<NetworkFault>();
  readonly #stalls = new Map<Stall, number>();
  #areFaultsOver = false;

  constructor(time: VirtualTime, hasSteadyLatency = false) {
    this.#time = time;
    this.#hasSteadyLatency = hasSteadyLatency;
  }

  add(fault: NetworkFault, forMs: number): void {
    if (this.#areFaultsOver) return;
    this.#faults.add(fault);
    this.#time.later(forMs, () => this.#faults.delete(fault));
  }

  /** Delays all lines of the streams. */
  stall(stall: Stall, forMs: number): void {
    if (this.#areFaultsOver) return;
    this.#stalls.set(stall, this.#time.nowMs + forMs);
    this.#time.later(forMs, () => this.#stalls.delete(stall));
  }

  /** Earliest arrival of a line. */
  stalledUntilMs(machine: string, call: Call): number {
    let untilMs = 0;
    for (const [stall, endMs] of this.#stalls) if (isAbout(stall, machine, call)) untilMs = Math.max(untilMs, endMs);
    return untilMs;
  }

  fateOf(machine: string, call: Call, random: SeededRandom): RequestFate {
    if (this.#faults.size === 0) return "answered";
    const plane = planeOfPath(call.path);
    for (const fault of this.#faults) {
      const isHere = fault.plane === undefined || fault.plane === plane;
      if (isHere && isAbout(fault, machine, call) && random.chance(fault.probability)) return fault.fate;
    }
    return "answered";
  }

  /** Mostly a few milliseconds, with rare spikes. */
  latencyMs(random: SeededRandom): number {
    const usualMs = 0.2 + random.fraction() * 4;
    return !this.#areFaultsOver && !this.#hasSteadyLatency && random.chance(0.04) ? usualMs * 40 : usualMs;
  }

  endFaults(): void {
    this.#areFaultsOver = true;
    this.#faults.clear();
    this.#stalls.clear();
  }
}

function isAbout({ machine, kind }: Stall, name: string, { path }: Call): boolean {
  return (machine === undefined || machine === name) && (kind === undefined || path.includes(`/${kind}`));
}
