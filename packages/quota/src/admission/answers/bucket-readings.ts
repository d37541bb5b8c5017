import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
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
  readonly startedMs: number;
  isFinished: boolean;
  /** Undefined until the bucket is read, when it does not exist, and when the read took too long. */
  figures: Figures | undefined;
  /** What this process has claimed from the bucket since the read started. */
  taken: Amount;
}

/** A bucket is read at most once in this time, however many requests need it. */
const readingMs = 2_000;
const readingsMax = 1_000;

/**
 * Figures of buckets, read while claims are being decided. They are for usage warnings only, so requests do not wait for
 * them: a request that is decided before the read finishes gets no warning.
 */
export class BucketReadings {
  readonly #options: BucketReadingsOptions;
  readonly #readings = new Map<string, Reading>();
  readonly #stopped = lightAbortController();

  constructor(options: BucketReadingsOptions) {
    this.#options = options;
  }

  /** Starts to read buckets, except for those that were read moments ago. */
  start(needs: readonly Need[]): void {
    const nowMs = this.#options.clock.now();
    for (const need of needs) {
      const last = this.#readings.get(need.id);
      if (last !== undefined && (!last.isFinished || nowMs - last.startedMs < readingMs)) continue;
      const reading: Reading = { startedMs: nowMs, isFinished: false, figures: undefined, taken: noAmount };
      this.#store(need.id, reading);
      void this.#read(need, reading);
    }
  }

  /** The figures of a bucket after a claim for this need was granted. Undefined when the bucket was not read in time. */
  afterTaking(need: Need): Figures | undefined {
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
    this.#stopped.abort(new Error("admission is stopped"));
  }

  async #read({ key, dimensions }: Need, reading: Reading): Promise<void> {
    const { planes, clock, report } = this.#options;
    const { plane, consumer, resourceType } = key;
    const buckets = planes.client(plane).resource(allowanceBucketDefinition, parseAllowanceBucket);
    const ref = { namespace: planes.bucketNamespace(consumer), name: bucketName(consumer, resourceType, dimensions) };
    try {
      const bucket = await buckets.find(ref, this.#stopped.signal);
      const isRecent = clock.now() - reading.startedMs < readingMs;
      if (bucket !== undefined && isRecent) reading.figures = figuresIn(bucket);
    } catch (error) {
      if (!this.#stopped.signal.aborted) report("reading a bucket for warnings", error);
    } finally {
      reading.isFinished = true;
    }
  }

  /** Evicts the oldest reading when there are too many. */
  #store(id: string, reading: Reading): void {
    this.#readings.delete(id);
    this.#readings.set(id, reading);
    if (this.#readings.size <= readingsMax) return;
    for (const oldest of this.#readings.keys()) {
      this.#readings.delete(oldest);
      return;
    }
  }
}
