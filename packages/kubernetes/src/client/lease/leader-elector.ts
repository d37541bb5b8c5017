import { StatusError } from "../../protocol/api-status.ts";
import type { Clock, Timer } from "../../protocol/clock.ts";
import { abortable } from "../abortable.ts";
import type { Random } from "../backoff.ts";
import { ChildAbortController } from "../child-abort-controller.ts";
import { type AbortControllerLike, lightAbortController } from "../light-abort-controller.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import { sleep } from "../sleep.ts";
import { ElapsedTime, type TimePoint } from "./elapsed-time.ts";
import { type Lease, newLease, renewLease } from "./lease-object.ts";

export interface LeaderElectorOptions {
  readonly leases: Pick<ResourceClient<Lease>, "find" | "create" | "update">;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, across restarts. */
  readonly identity: string;
  /** Runs until the signal is aborted. No second term begins before this has settled. */
  readonly onStartedLeading: (signal: AbortSignal) => Promise<void>;
  /** Called as soon as this process stops leading. */
  readonly onStoppedLeading?: () => void;
  readonly clock: Clock;
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs: () => number;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly limits?: Partial<LeaseTimings>;
}

export interface LeaseTimings {
  /** Lease duration after a renewal. Whole seconds. */
  readonly leaseMs: number;
  /** Interval of renewals, or of attempts to acquire. */
  readonly renewMs: number;
}

const defaultLimits: LeaseTimings = { leaseMs: 4_000, renewMs: 1_000 };

/** An action that only the leader may take was attempted without leading. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";

  constructor() {
    super("this process is not the leader, or its lease has expired");
  }
}

interface LeadingTerm {
  readonly abortController: AbortControllerLike;
  /** When the last successful renewal was sent: other candidates may count from as early as then. */
  sentAt: TimePoint;
  deadline: Timer;
}

/**
 * Leader election by a Lease. No clock of another machine matters: the lease of another holder counts from when its
 * change was observed, our own from before the request was sent. The leader stops well before another candidate may
 * take over.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #limits: LeaseTimings;
  readonly #time: ElapsedTime;
  /** How long a renewal allows leading. The missing quarter allows for clocks of different speed. */
  readonly #leadMs: number;
  #observed: { readonly lease: Lease; readonly at: TimePoint } | undefined;
  #term: LeadingTerm | undefined;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#time = new ElapsedTime(options.clock, options.elapsedMs);
    this.#leadMs = this.#limits.leaseMs * 0.75;
    if (this.#limits.leaseMs % 1_000 !== 0 || this.#limits.renewMs * 2 > this.#leadMs) {
      throw new RangeError(
        "the lease duration must be whole seconds, and two renewals must fit into three quarters of it",
      );
    }
  }

  /** The last observed holder; empty when there was none. */
  get leader(): string {
    return this.#observed?.lease.holder ?? "";
  }

  /**
   * Whether this process may act as leader now. A process that was suspended notices here that its lease has expired.
   */
  get isLeading(): boolean {
    if (this.#term === undefined) return false;
    if (this.#time.atMost(this.#term.sentAt) < this.#leadMs) return true;
    this.#stepDown(new NotLeading());
    return false;
  }

  /** To be called before each write: throws NotLeading without a valid lease. */
  fence(): void {
    if (!this.isLeading) throw new NotLeading();
  }

  /** Takes part in the election until the signal is aborted; then finishes the current term and releases the lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, report } = this.#options;
    while (!signal.aborted) {
      await this.#attempt(signal).catch((error: unknown) => signal.aborted || report(error));
      const jitter = this.#term === undefined ? 1 + 0.2 * random.fraction() : 1;
      await sleep(clock, this.#limits.renewMs * jitter, signal).catch(() => undefined);
    }
    await this.#release().catch(report);
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    if (!this.isLeading) await abortable(this.#work, signal);
    const round = new ChildAbortController(signal);
    const late = new Error(`no response to the lease request within ${this.#leadMs} ms`);
    const deadline = this.#options.clock.after(this.#leadMs, () => round.abort(late));
    try {
      await abortable(this.#renewOrAcquire(round.signal), round.signal);
    } finally {
      deadline.stop();
      round.release();
    }
  }

  async #renewOrAcquire(signal: AbortSignal): Promise<void> {
    // While leading the lease should be unchanged, so the read is skipped.
    if (this.#observed !== undefined && this.isLeading && (await this.#tryWrite(this.#observed.lease, signal))) return;
    const { leases, namespace, name } = this.#options;
    const found = await leases.find({ namespace, name }, signal);
    signal.throwIfAborted();
    if (found === undefined) {
      await this.#tryWrite(undefined, signal);
      return;
    }
    this.#observe(found);
    if (found.holder !== this.#options.identity) {
      if (this.#term !== undefined) this.#stepDown(new NotLeading());
      if (!this.#isFree(found)) return;
    }
    await this.#tryWrite(found, signal);
  }

  /** A lease counts from when its change was observed. */
  #observe(lease: Lease): void {
    if (this.#observed?.lease.resourceVersion !== lease.resourceVersion)
      this.#observed = { lease, at: this.#time.now() };
  }

  #isFree({ holder, durationMs }: Lease): boolean {
    if (holder === "" || this.#observed === undefined) return true;
    return this.#time.atLeast(this.#observed.at) > durationMs;
  }

  /** Whether the lease is ours now. Not if it was changed since it was observed. */
  async #tryWrite(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const { leases, namespace, name, identity, clock } = this.#options;
    const sentAt = this.#time.now();
    const term = { holder: identity, durationMs: this.#limits.leaseMs, nowMs: clock.now() };
    try {
      const written =
        lease === undefined
          ? await leases.create(newLease(namespace, name, term), {}, signal)
          : await leases.update(renewLease(lease, term), {}, signal);
      this.#observed = { lease: written, at: this.#time.now() };
    } catch (error) {
      const lostRace = lease === undefined ? [409] : [404, 409];
      if (error instanceof StatusError && lostRace.includes(error.status.code)) return false;
      throw error;
    }
    signal.throwIfAborted();
    this.#lead(sentAt);
    return true;
  }

  #lead(sentAt: TimePoint): void {
    const leftMs = this.#leadMs - this.#time.atMost(sentAt);
    if (leftMs <= 0) return; // the response came too late
    if (this.#term === undefined && this.#isBusy) return; // the last term is not over; the next attempt starts one
    const deadline = this.#options.clock.after(leftMs, () => this.isLeading);
    if (this.#term !== undefined) {
      this.#term.deadline.stop();
      this.#term.deadline = deadline;
      this.#term.sentAt = sentAt;
      return;
    }
    const abortController = lightAbortController();
    this.#term = { abortController, sentAt, deadline };
    this.#isBusy = true;
    this.#work = this.#act(abortController.signal);
  }

  async #act(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.onStartedLeading(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.report(error);
      this.#stepDown(new NotLeading()); // the next leader, perhaps this process again, starts over
    } finally {
      this.#isBusy = false;
    }
  }

  #stepDown(reason: Error): void {
    const leading = this.#term;
    if (leading === undefined) return;
    this.#term = undefined;
    leading.deadline.stop();
    leading.abortController.abort(reason);
    this.#options.onStoppedLeading?.();
  }

  /** Only after the work of the last term has ended: the next leader starts at once. */
  async #release(): Promise<void> {
    const wasLeading = this.isLeading;
    this.#stepDown(new NotLeading());
    const seen = this.#observed;
    if (!wasLeading || seen === undefined) return;
    const late = new AbortController();
    const { clock, leases } = this.#options;
    const deadline = clock.after(this.#limits.leaseMs, () => late.abort(new Error("timed out releasing the lease")));
    try {
      await abortable(this.#work, late.signal);
      const released = renewLease(seen.lease, { holder: "", durationMs: 1_000, nowMs: clock.now() });
      await abortable(leases.update(released, {}, late.signal), late.signal);
    } finally {
      deadline.stop();
    }
  }
}
