import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { minusOrNone, plus } from "../../core/ledger/arithmetic.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import { allowanceBucketDefinition, parseAllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type Amount, noAmount } from "../../core/resources/fields/amount.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { Need } from "../policies/needs.ts";
import { figuresIn } from "./shown-figures.ts";

export interface BucketReadingsOptions {
  readonly planes: ControlPlanes;
  readonly clock: Clock;
  readonly report: (where: string, error: unknown) => void;
}

interface Reading {
  readonly atMs: number;
  isOver: boolean;
  /** Undefined until it is read, where there is no such bucket, and where nobody knows any more what is in it. */
  figures: Figures | undefined;
  /** What was taken since, as far as this process knows. */
  taken: Amount;
}

/** However many come, a bucket is read so often at most. */
const readingMs = 2_000;
const readingsMax = 1_000;

/**
 * What buckets say, read while claims are being decided: for warnings, which nobody waits for. Where the answer is faster
 * than the reading there is none.
 */
export class BucketReadings {
  readonly #options: BucketReadingsOptions;
  readonly #readings = new Map<string, Reading>();
  readonly #stopped = sharedAbort();

  constructor(options: BucketReadingsOptions) {
    this.#options = options;
  }

  /** Begins to read the buckets of what is needed, unless that was done a moment ago. */
  begin(needs: readonly Need[]): void {
    const nowMs = this.#options.clock.now();
    for (const need of needs) {
      const last = this.#readings.get(need.id);
      if (last !== undefined && (!last.isOver || nowMs - last.atMs < readingMs)) continue;
      const reading: Reading = { atMs: nowMs, isOver: false, figures: undefined, taken: noAmount };
      this.#keep(need.id, reading);
      void this.#read(need, reading);
    }
  }

  /** What a bucket says, beside what was taken from it just now. Undefined when it was not read in time. */
  taken(need: Need): Figures | undefined {
    const reading = this.#readings.get(need.id);
    if (reading === undefined) return undefined;
    reading.taken = plus(reading.taken, need.amount);
    const { figures, taken } = reading;
    if (figures === undefined) return undefined;
    return {
      ...figures,
      allocated: plus(figures.allocated, taken),
      available: minusOrNone(figures.available, taken),
    };
  }

  stop(): void {
    this.#stopped.abort(new Error("nobody is warned any more"));
  }

  async #read({ key, dimensions }: Need, reading: Reading): Promise<void> {
    const { planes, clock, report } = this.#options;
    const { plane, consumer, resourceType } = key;
    const buckets = planes.client(plane).resource(allowanceBucketDefinition, parseAllowanceBucket);
    const ref = { namespace: planes.bucketNamespace(consumer), name: bucketName(consumer, resourceType, dimensions) };
    try {
      const bucket = await buckets.find(ref, this.#stopped.signal);
      const isNews = clock.now() - reading.atMs < readingMs;
      if (bucket !== undefined && isNews) reading.figures = figuresIn(bucket);
    } catch (error) {
      if (!this.#stopped.signal.aborted) report("reading a bucket for warnings", error);
    } finally {
      reading.isOver = true;
    }
  }

  /** The one that was read longest ago makes room. */
  #keep(id: string, reading: Reading): void {
    this.#readings.delete(id);
    this.#readings.set(id, reading);
    if (this.#readings.size <= readingsMax) return;
    for (const oldest of this.#readings.keys()) {
      this.#readings.delete(oldest);
      return;
    }
  }
}
