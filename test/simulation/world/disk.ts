import {
  firstRevision,
  LogFull,
  type LogRecord,
  type RecordLog,
} from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { RecordedTruth } from "./truth.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { InvariantBroken } from "./world.ts";

/** How the disk is doing. */
export type DiskState = "good" | "slow" | "full";

/** What a server does to its disk in one of its lives. Nothing comes back from a call of a life that is over. */
export interface DiskUser {
  readonly isOver: boolean;
  /** Called at every call to the disk, before and after it acts. False when the server crashes right then. */
  readonly mayCall: () => boolean;
  /** Something reaches the server; while that stands still, it waits. */
  readonly soon: (call: () => void) => void;
}

/** How long the server waits for company before it writes: not at all, or as long as it likes. */
export type Gathering = "at once" | "by chance";

export interface DiskPorts {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  /** What the truth throws ends the run. */
  readonly failed: (error: unknown) => void;
  readonly gathering: Gathering;
}

type Action = "append" | "compact";

const gatherMsMax = 3;

/** The disk of the API server: it keeps what was written through every crash. */
export class SimulatedDisk {
  readonly #ports: DiskPorts;
  readonly #records: Map<number, LogRecord>;
  #compacted = firstRevision;
  readonly truth: RecordedTruth;
  state: DiskState = "good";
  /** The next write fails in a way that leaves nobody knowing whether it happened. */
  failsNext = false;
  /** The next append, and none after it, finds the disk full, once it has taken as long as the disk takes. */
  isFullNext = false;

  constructor(records: readonly LogRecord[], ports: DiskPorts) {
    this.#ports = ports;
    this.#records = new Map(records.map((record) => [record.revision, record]));
    this.truth = new RecordedTruth(records, () => ports.time.nowMs);
  }

  /** The disk as a server has it that starts now. */
  open(user: DiskUser): RecordLog {
    return {
      place: "a simulated disk",
      load: async () => ({ compacted: this.#compacted, pages: onePage([...this.#records.values()]) }),
      gathered: () => this.#gathered(user),
      append: (records) => this.#act(user, "append", () => this.#append(records)),
      compact: (compacted, obsolete) => this.#act(user, "compact", () => this.#compact(compacted, obsolete)),
      close: async () => undefined,
    };
  }

  /** A turn of the event loop most of the time, as with a real disk. */
  #gathered(user: DiskUser): Promise<void> {
    const { time, random, gathering } = this.#ports;
    const how = gathering === "at once" ? 0 : random.fraction();
    if (how < 0.2) return Promise.resolve();
    return new Promise((resolve) => {
      if (how < 0.7) setImmediate(resolve);
      else time.later(random.fraction() * gatherMsMax, () => user.soon(resolve));
    });
  }

  /** Takes its time, and may be the last thing a server does: before it happened, or after. */
  #act(user: DiskUser, action: Action, happen: () => void): Promise<void> {
    const { time } = this.#ports;
    return new Promise((resolve, reject) => {
      if (user.isOver || !user.mayCall()) return;
      const fault = this.#fault(action);
      time.later(this.#latencyMs(), () => {
        if (user.isOver) return;
        if (fault === undefined || fault.happens) happen();
        if (!user.mayCall()) return;
        user.soon(() => (fault === undefined ? resolve() : reject(fault.error)));
      });
    });
  }

  #append(records: readonly LogRecord[]): void {
    for (const record of records) this.#records.set(record.revision, record);
    try {
      if (records.at(-1)?.more === true) throw new InvariantBroken("I13", "an append ends inside a transaction");
      for (const record of records) this.truth.take(record);
    } catch (error) {
      this.#ports.failed(error);
    }
  }

  #compact(compacted: number, obsolete: readonly number[]): void {
    this.#compacted = compacted;
    for (const revision of obsolete) this.#records.delete(revision);
  }

  #fault(action: Action): { readonly error: Error; readonly happens: boolean } | undefined {
    const isFull = this.state === "full" || (action === "append" && this.isFullNext);
    if (action === "append") this.isFullNext = false;
    if (isFull) return { error: new LogFull("simulated"), happens: false };
    if (!this.failsNext) return undefined;
    this.failsNext = false;
    return { error: new Error("the disk does not answer"), happens: this.#ports.random.chance(0.5) };
  }

  #latencyMs(): number {
    const { random } = this.#ports;
    return this.state === "slow" ? random.between(50, 1_500) : random.fraction() * 2;
  }
}

async function* onePage(records: readonly LogRecord[]): AsyncGenerator<readonly LogRecord[]> {
  yield records;
}
