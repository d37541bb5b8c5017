import { StatusError, tooManyRequests } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";

export interface FairQueueLimits {
  /** Requests executing at the same time. */
  readonly seats: number;
  /** Seats that one flow may hold, so that one is always left for other flows. */
  readonly seatsPerFlowMax: number;
  /** Queued requests of one flow. */
  readonly waitingPerFlowMax: number;
  readonly waitingMax: number;
  /** How long a request waits in the queue before it is rejected. */
  readonly waitMsMax: number;
}

export const defaultFairQueueLimits: FairQueueLimits = {
  seats: 600,
  seatsPerFlowMax: 400,
  waitingPerFlowMax: 100,
  waitingMax: 5_000,
  waitMsMax: 15_000,
};

/** Requests that are scheduled together: those of one user in one plane. */
export interface Flow {
  readonly plane: string;
  readonly user: string;
}

/** The right to execute. */
export interface Seat {
  /** Passes the seat to the next request. Further calls do nothing. */
  release(): void;
}

/** What the queue needs of a flow to decide which one is next. */
interface FlowState {
  readonly key: string;
  readonly waiting: Waiter[];
  executing: number;
  /** Sum of the start times of the executing requests. */
  begunMsSum: number;
  /** Work done: the milliseconds that requests took, plus one for each. */
  work: number;
}

interface Waiter {
  /** Sequence number: of flows with equal work, the one that has waited longest is next. */
  readonly arrival: number;
  readonly onSeated: (seat: Seat) => void;
  readonly onRejected: (error: unknown) => void;
  timer: Timer | undefined;
}

/** Cost of a request in addition to its duration, so that instant requests add up too. */
const requestCost = 1;
const retryAfterSeconds = 1;

/**
 * Executes a bounded number of requests at once. The flow with the least work done is next; a flow that returns from
 * idling starts level with the others, without saved credit. So a flood delays its own flow: any other flow waits for
 * at most one request of each other flow.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #clock: Clock;
  readonly #flows = new Map<string, FlowState>();
  readonly #backlogged = new Set<FlowState>();
  #executing = 0;
  #waiting = 0;
  #arrivals = 0;
  /** The work of the flow that was served last: where new flows start. */
  #level = 0;

  constructor(limits: FairQueueLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get executing(): number {
    return this.#executing;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Number of flows with queued or executing requests. */
  get flows(): number {
    return this.#flows.size;
  }

  /** Rejects with a StatusError (TooManyRequests) after waiting too long, and with the signal's reason. */
  take({ plane, user }: Flow, signal: AbortSignal): Promise<Seat> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const flow = this.#flowOf(JSON.stringify([plane, user]));
    // A flow that waits while a seat is free holds its maximum already, so it is not overtaken.
    if (this.#executing < this.#limits.seats && this.#mayExecute(flow)) return Promise.resolve(this.#seat(flow));
    if (!this.#hasRoomFor(flow)) {
      this.#dropIdle(flow);
      return Promise.reject(tooManyRequestsError());
    }
    return new Promise((onSeated, onRejected) => this.#queue(flow, signal, { onSeated, onRejected }));
  }

  #queue(
    flow: FlowState,
    signal: AbortSignal,
    { onSeated, onRejected }: Pick<Waiter, "onSeated" | "onRejected">,
  ): void {
    if (flow.waiting.length === 0) flow.work = Math.max(flow.work, this.#level - this.#running(flow));
    const leave = (error: unknown) => {
      if (this.#remove(flow, waiter)) waiter.onRejected(error);
    };
    const aborted = () => leave(signal.reason);
    const waiter: Waiter = {
      arrival: this.#arrivals++,
      onSeated: (seat) => {
        signal.removeEventListener("abort", aborted);
        onSeated(seat);
      },
      onRejected: (error) => {
        signal.removeEventListener("abort", aborted);
        onRejected(error);
      },
      timer: this.#clock.after(this.#limits.waitMsMax, () => leave(tooManyRequestsError())),
    };
    signal.addEventListener("abort", aborted, { once: true });
    flow.waiting.push(waiter);
    this.#backlogged.add(flow);
    this.#waiting += 1;
  }

  /** Makes room by rejecting a request of the flow with the longest queue, unless that is the flow itself. */
  #hasRoomFor(flow: FlowState): boolean {
    if (flow.waiting.length >= this.#limits.waitingPerFlowMax) return false;
    if (this.#waiting < this.#limits.waitingMax) return true;
    let longest = flow;
    for (const other of this.#backlogged) if (other.waiting.length > longest.waiting.length) longest = other;
    const last = longest.waiting.at(-1);
    if (longest.waiting.length <= flow.waiting.length + 1 || last === undefined) return false;
    this.#remove(longest, last);
    last.onRejected(tooManyRequestsError());
    return true;
  }

  #remove(flow: FlowState, waiter: Waiter): boolean {
    const at = flow.waiting.indexOf(waiter);
    if (at < 0) return false;
    flow.waiting.splice(at, 1);
    waiter.timer?.stop();
    this.#waiting -= 1;
    if (flow.waiting.length === 0) this.#backlogged.delete(flow);
    this.#dropIdle(flow);
    return true;
  }

  #seat(flow: FlowState): Seat {
    const begunMs = this.#clock.now();
    this.#level = Math.max(this.#level, this.#workOf(flow));
    this.#executing += 1;
    flow.executing += 1;
    flow.begunMsSum += begunMs;
    flow.work += requestCost;
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      this.#executing -= 1;
      flow.executing -= 1;
      flow.begunMsSum -= begunMs;
      flow.work += this.#clock.now() - begunMs;
      this.#dropIdle(flow);
      this.#seatNext();
    };
    return { release };
  }

  #mayExecute({ executing }: FlowState): boolean {
    return executing < this.#limits.seatsPerFlowMax;
  }

  #seatNext(): void {
    while (this.#executing < this.#limits.seats) {
      const flow = this.#next();
      const waiter = flow?.waiting[0];
      if (flow === undefined || waiter === undefined) return;
      const seat = this.#seat(flow);
      this.#remove(flow, waiter);
      waiter.onSeated(seat);
    }
  }

  #next(): FlowState | undefined {
    let next: FlowState | undefined;
    for (const flow of this.#backlogged) {
      if (this.#mayExecute(flow) && (next === undefined || this.#isBefore(flow, next))) next = flow;
    }
    return next;
  }

  #isBefore(left: FlowState, right: FlowState): boolean {
    const difference = this.#workOf(left) - this.#workOf(right);
    return difference < 0 || (difference === 0 && arrivalOf(left) < arrivalOf(right));
  }

  /** Executing requests count with their time so far: many slow requests at once are much work. */
  #workOf(flow: FlowState): number {
    return flow.work + this.#running(flow);
  }

  #running(flow: FlowState): number {
    return flow.executing * this.#clock.now() - flow.begunMsSum;
  }

  #flowOf(key: string): FlowState {
    const existing = this.#flows.get(key);
    if (existing !== undefined) return existing;
    const flow: FlowState = { key, waiting: [], executing: 0, begunMsSum: 0, work: this.#level };
    this.#flows.set(key, flow);
    return flow;
  }

  #dropIdle(flow: FlowState): void {
    if (flow.waiting.length === 0 && flow.executing === 0) this.#flows.delete(flow.key);
  }
}

function arrivalOf({ waiting }: FlowState): number {
  return waiting[0]?.arrival ?? Number.POSITIVE_INFINITY;
}

function tooManyRequestsError(): StatusError {
  return new StatusError(tooManyRequests("Too many requests, please try again later.", retryAfterSeconds));
}
