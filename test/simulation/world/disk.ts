import {
  firstRevision,
  LogFull,
  type LogRecord,
  type RecordLog,
} from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { RecordedTruth } from "./truth.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { InvariantViolation } from "./world.ts";

export type DiskState = "good" | "slow" | "full";

/** The server process that uses the disk. Calls of a crashed process never return. */
export interface DiskUser {
  readonly isOver: boolean;
  /** Called before and after every disk operation. False if the server crashes at this point. */
  readonly mayCall: () => boolean;
  /** Delivers a result to the server, after its pause if it is paused. */
  readonly deliver: (call: () => void) => void;
}

/** How long the log writer waits for more writes before an append. */
export type Batching = "none" | "random";

export interface DiskDeps {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  /** Ends the run with a violation. */
  readonly onFailure: (error: unknown) => void;
  readonly batching: Batching;
}

type Action = "append" | "append to reserve" | "compact";

/** How often the reserve has space for a removal while the disk is full. */
const reserveChance = 0.8;

const batchDelayMsMax = 3;

/** The disk of the API server. Acknowledged appends survive every crash. */
export class SimulatedDisk {
  readonly #deps: DiskDeps;
  readonly #records: Map<number, LogRecord>;
  #compacted = firstRevision;
  readonly truth: RecordedTruth;
  state: DiskState = "good";
  /** The next operation fails and may or may not have been applied. */
  failsNext = false;
  /** Whether a full disk has space for removals, most of the time. */
  hasReserve = true;
  /** Only the next append finds the disk full, after the usual latency. */
  isFullNext = false;

  constructor(records: readonly LogRecord[], deps: DiskDeps) {
    this.#deps = deps;
    this.#records = new Map(records.map((record) => [record.revision, record]));
    this.truth = new RecordedTruth(records, () => deps.time.nowMs);
  }

  /** Opens the log for a server that starts now. */
  open(user: DiskUser): RecordLog {
    return {
      location: "a simulated disk",
      load: async () => ({ compacted: this.#compacted, pages: onlyPage([...this.#records.values()]) }),
      gatherWrites: () => this.#gathered(user),
      append: (records, usesReserve = false) =>
        this.#act(user, usesReserve ? "append to reserve" : "append", () => this.#append(records)),
      hasRoom: () => this.#hasRoom(user),
      compact: (compacted, obsolete) => this.#act(user, "compact", () => this.#compact(compacted, obsolete)),
      close: async () => undefined,
    };
  }

  /** Mostly one turn of the event loop, as with a real disk. */
  #gathered(user: DiskUser): Promise<void> {
    const { time, random, batching } = this.#deps;
    const how = batching === "none" ? 0 : random.fraction();
    if (how < 0.2) return Promise.resolve();
    return new Promise((resolve) => {
      if (how < 0.7) setImmediate(resolve);
      else time.later(random.fraction() * batchDelayMsMax, () => user.deliver(resolve));
    });
  }

  #hasRoom(user: DiskUser): Promise<boolean> {
    return new Promise((resolve) => {
      if (user.isOver || !user.mayCall()) return;
      this.#deps.time.later(this.#latencyMs(), () => {
        if (!user.isOver) user.deliver(() => resolve(this.state !== "full"));
      });
    });
  }

  /** Applies an operation after the latency of the disk. The server may crash before or after it is applied. */
  #act(user: DiskUser, action: Action, apply: () => void): Promise<void> {
    const { time } = this.#deps;
    return new Promise((resolve, reject) => {
      if (user.isOver || !user.mayCall()) return;
      const fault = this.#fault(action);
      time.later(this.#latencyMs(), () => {
        if (user.isOver) return;
        if (fault === undefined || fault.isApplied) apply();
        if (!user.mayCall()) return;
        user.deliver(() => (fault === undefined ? resolve() : reject(fault.error)));
      });
    });
  }

  #append(records: readonly LogRecord[]): void {
    for (const record of records) this.#records.set(record.revision, record);
    try {
      if (records.at(-1)?.more === true) throw new InvariantViolation("I13", "an append ends inside a transaction");
      for (const record of records) this.truth.take(record);
    } catch (error) {
      this.#deps.onFailure(error);
    }
  }

  #compact(compacted: number, obsolete: readonly number[]): void {
    this.#compacted = compacted;
    for (const revision of obsolete) this.#records.delete(revision);
  }

  #fault(action: Action): { readonly error: Error; readonly isApplied: boolean } | undefined {
    const isFull = this.state === "full" || (action === "append" && this.isFullNext);
    if (action === "append") this.isFullNext = false;
    const usesReserve = action === "append to reserve" && this.hasReserve;
    const hasSpace = usesReserve && this.#deps.random.chance(reserveChance);
    if (isFull && !hasSpace) return { error: new LogFull("simulated"), isApplied: false };
    if (!this.failsNext) return undefined;
    this.failsNext = false;
    return { error: new Error("the disk does not answer"), isApplied: this.#deps.random.chance(0.5) };
  }

  #latencyMs(): number {
    const { random } = this.#deps;
    return this.state === "slow" ? random.between(50, 1_500) : random.fraction() * 2;
  }
}

async function* onlyPage(records: readonly LogRecord[]): AsyncGenerator<readonly LogRecord[]> {
  yield records;
}
