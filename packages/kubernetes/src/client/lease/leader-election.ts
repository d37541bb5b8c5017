import { StatusError } from "../../protocol/api-status.ts";
import type { Clock, Timer } from "../../protocol/clock.ts";
import type { Random } from "../backoff.ts";
import { ChildAbort } from "../child-abort.ts";
import { pause } from "../pause.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import { type Abort, sharedAbort } from "../shared-abort.ts";
import { untilAborted } from "../until-aborted.ts";
import { type Lease, newLease, renewed } from "./lease-object.ts";
import { type Moment, PassedTime } from "./passed-time.ts";

export interface LeaderElectionOptions {
  readonly leases: Pick<ResourceClient<Lease>, "find" | "create" | "update">;
  readonly namespace: string;
  readonly name: string;
  /** Of this very process, and of no other before or after it. */
  readonly identity: string;
  /** Acts for all until the signal is aborted. No second term begins before this has settled. */
  readonly started: (signal: AbortSignal) => Promise<void>;
  /** Called as soon as we no longer lead. */
  readonly stopped?: () => void;
  readonly clock: Clock;
  /** A clock that nobody sets, in milliseconds since whenever. */
  readonly elapsedMs: () => number;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly limits?: Partial<LeaseLimits>;
}

export interface LeaseLimits {
  /** How long a lease holds after a sign of life. Whole seconds. */
  readonly leaseMs: number;
  /** How often we give a sign of life, or look for one. */
  readonly renewMs: number;
}

const defaultLimits: LeaseLimits = { leaseMs: 4_000, renewMs: 1_000 };

/** Somebody was about to act for all who may not. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";

  constructor() {
    super("this process does not lead, or has not heard for too long that it does");
  }
}

interface Leading {
  readonly life: Abort;
  /** When the last renewal that succeeded was sent: others may count from as early as then. */
  sentAt: Moment;
  deadline: Timer;
}

/**
 * One process of several acts for all, by a Lease. No clock of another machine plays a part: a lease counts from when
 * we saw it change, and our own from before we asked. The leader gives up a good while before the others may take over.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #limits: LeaseLimits;
  readonly #time: PassedTime;
  /** How long we lead on a renewal. Clocks may differ in speed by the quarter that is missing. */
  readonly #leadMs: number;
  #seen: { readonly lease: Lease; readonly at: Moment } | undefined;
  #leading: Leading | undefined;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#time = new PassedTime(options.clock, options.elapsedMs);
    this.#leadMs = this.#limits.leaseMs * 0.75;
    if (this.#limits.leaseMs % 1_000 !== 0 || this.#limits.renewMs * 2 > this.#leadMs) {
      throw new RangeError("a lease is whole seconds, and its renewals must fit into three quarters of it twice");
    }
  }

  /** Who held the lease when we last looked; empty when nobody did. */
  get leader(): string {
    return this.#seen?.lease.holder ?? "";
  }

  /** Whether we may act now. A process that was paused finds out here that its time is over. */
  get isLeading(): boolean {
    if (this.#leading === undefined) return false;
    if (this.#time.atMost(this.#leading.sentAt) < this.#leadMs) return true;
    this.#stepDown(new NotLeading());
    return false;
  }

  /** To be called before each write: throws NotLeading when we may not act. */
  fence(): void {
    if (!this.isLeading) throw new NotLeading();
  }

  /** Takes part until the signal is aborted; then finishes what was started, and gives the lease back. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, report } = this.#options;
    while (!signal.aborted) {
      await this.#round(signal).catch((error: unknown) => signal.aborted || report(error));
      const jitter = this.#leading === undefined ? 1 + 0.2 * random.fraction() : 1;
      await pause(clock, this.#limits.renewMs * jitter, signal).catch(() => undefined);
    }
    await this.#resign().catch(report);
  }

  async #round(signal: AbortSignal): Promise<void> {
    if (!this.isLeading) await untilAborted(this.#work, signal);
    const round = new ChildAbort(signal);
    const late = new Error(`no answer about the lease within ${this.#leadMs} ms`);
    const deadline = this.#options.clock.after(this.#leadMs, () => round.abort(late));
    try {
      await untilAborted(this.#renewOrAcquire(round.signal), round.signal);
    } finally {
      deadline.stop();
      round.release();
    }
  }

  async #renewOrAcquire(signal: AbortSignal): Promise<void> {
    // While we lead nobody else should have touched it: one request, and not two.
    if (this.#seen !== undefined && this.isLeading && (await this.#takes(this.#seen.lease, signal))) return;
    const { leases, namespace, name } = this.#options;
    const found = await leases.find({ namespace, name }, signal);
    signal.throwIfAborted();
    if (found === undefined) {
      await this.#takes(undefined, signal);
      return;
    }
    this.#see(found);
    if (found.holder !== this.#options.identity) {
      if (this.#leading !== undefined) this.#stepDown(new NotLeading());
      if (!this.#isFree(found)) return;
    }
    await this.#takes(found, signal);
  }

  /** A lease counts from when we saw it change. */
  #see(lease: Lease): void {
    if (this.#seen?.lease.resourceVersion !== lease.resourceVersion) this.#seen = { lease, at: this.#time.now() };
  }

  #isFree({ holder, durationMs }: Lease): boolean {
    if (holder === "" || this.#seen === undefined) return true;
    return this.#time.atLeast(this.#seen.at) > durationMs;
  }

  /** Whether the lease is ours now. Not if somebody changed it since we saw it: then we look again. */
  async #takes(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const { leases, namespace, name, identity, clock } = this.#options;
    const sentAt = this.#time.now();
    const term = { holder: identity, durationMs: this.#limits.leaseMs, nowMs: clock.now() };
    try {
      const written =
        lease === undefined
          ? await leases.create(newLease(namespace, name, term), {}, signal)
          : await leases.update(renewed(lease, term), {}, signal);
      this.#seen = { lease: written, at: this.#time.now() };
    } catch (error) {
      const lostRace = lease === undefined ? [409] : [404, 409];
      if (error instanceof StatusError && lostRace.includes(error.status.code)) return false;
      throw error;
    }
    signal.throwIfAborted();
    this.#lead(sentAt);
    return true;
  }

  #lead(sentAt: Moment): void {
    const leftMs = this.#leadMs - this.#time.atMost(sentAt);
    if (leftMs <= 0) return; // the answer took too long to be of use
    if (this.#leading === undefined && this.#isBusy) return; // our last term is not over; the next round sees to it
    const deadline = this.#options.clock.after(leftMs, () => this.isLeading);
    if (this.#leading !== undefined) {
      this.#leading.deadline.stop();
      this.#leading.deadline = deadline;
      this.#leading.sentAt = sentAt;
      return;
    }
    const life = sharedAbort();
    this.#leading = { life, sentAt, deadline };
    this.#isBusy = true;
    this.#work = this.#act(life.signal);
  }

  async #act(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.started(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.report(error);
      this.#stepDown(new NotLeading()); // whoever leads next, perhaps we ourselves, begins anew
    } finally {
      this.#isBusy = false;
    }
  }

  #stepDown(reason: Error): void {
    const leading = this.#leading;
    if (leading === undefined) return;
    this.#leading = undefined;
    leading.deadline.stop();
    leading.life.abort(reason);
    this.#options.stopped?.();
  }

  /** Only once nothing acts in our name any more: the next one begins at once. */
  async #resign(): Promise<void> {
    const wasLeading = this.isLeading;
    this.#stepDown(new NotLeading());
    const seen = this.#seen;
    if (!wasLeading || seen === undefined) return;
    const late = new AbortController();
    const { clock, leases } = this.#options;
    const deadline = clock.after(this.#limits.leaseMs, () => late.abort(new Error("gave up on giving the lease back")));
    try {
      await untilAborted(this.#work, late.signal);
      const nobody = renewed(seen.lease, { holder: "", durationMs: 1_000, nowMs: clock.now() });
      await untilAborted(leases.update(nobody, {}, late.signal), late.signal);
    } finally {
      deadline.stop();
    }
  }
}
