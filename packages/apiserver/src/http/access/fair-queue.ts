import { StatusError, tooManyRequests } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";

export interface FairQueueLimits {
  /** How many requests are worked on at once. */
  readonly seats: number;
  /** How many of them one flow may take, so that there is always one left for somebody else. */
  readonly seatsPerFlowMax: number;
  /** How many requests of one flow wait. */
  readonly waitingPerFlowMax: number;
  readonly waitingMax: number;
  /** How long a request waits before it is refused. */
  readonly waitMsMax: number;
}

export const defaultFairQueueLimits: FairQueueLimits = {
  seats: 600,
  seatsPerFlowMax: 400,
  waitingPerFlowMax: 100,
  waitingMax: 5_000,
  waitMsMax: 15_000,
};

/** Requests that share one turn: those of a user in a plane. */
export interface Flow {
  readonly plane: string;
  readonly user: string;
}

/** The right to be worked on. */
export interface Seat {
  /** Gives the seat to somebody else. Further calls do nothing. */
  release(): void;
}

/** The work of a flow, as much of it as is needed to know whose turn it is. */
interface FlowState {
  readonly key: string;
  readonly waiting: Waiter[];
  executing: number;
  /** When the requests that are being worked on were begun, summed up. */
  begunMsSum: number;
  /** Work done: the milliseconds that requests took, and one more for each. */
  work: number;
}

interface Waiter {
  /** Counts arrivals: of flows that did the same work, the one that waits longest is next. */
  readonly arrival: number;
  readonly seated: (seat: Seat) => void;
  readonly refused: (error: unknown) => void;
  timer: Timer | undefined;
}

/** What a request costs in addition to its time, so that even those that take none add up. */
const requestCost = 1;
const retryAfterSeconds = 1;

/**
 * Lets a bounded number of requests through at once. Of those that wait, the flow that had the least work done for it
 * is next; a flow that comes back from idling starts level with the others, with no credit saved up. So one that floods
 * delays itself: anybody else waits for at most one request of each other flow.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #clock: Clock;
  readonly #flows = new Map<string, FlowState>();
  readonly #backlogged = new Set<FlowState>();
  #executing = 0;
  #waiting = 0;
  #arrivals = 0;
  /** The work of the flow whose turn was last: where newcomers start. */
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

  /** How many flows are remembered: those with requests waiting or being worked on. */
  get flows(): number {
    return this.#flows.size;
  }

  /** Rejects with a StatusError (TooManyRequests) when it would wait too long, and with the signal's reason. */
  take({ plane, user }: Flow, signal: AbortSignal): Promise<Seat> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const flow = this.#flowOf(JSON.stringify([plane, user]));
    // Whoever waits while a seat is free has as many as one may take, and is not overtaken.
    if (this.#executing < this.#limits.seats && this.#maySit(flow)) return Promise.resolve(this.#seat(flow));
    if (!this.#hasRoomFor(flow)) {
      this.#forgetIdle(flow);
      return Promise.reject(overloaded());
    }
    return new Promise((seated, refused) => this.#queue(flow, signal, { seated, refused }));
  }

  #queue(flow: FlowState, signal: AbortSignal, { seated, refused }: Pick<Waiter, "seated" | "refused">): void {
    if (flow.waiting.length === 0) flow.work = Math.max(flow.work, this.#level - this.#running(flow));
    const leave = (error: unknown) => {
      if (this.#remove(flow, waiter)) waiter.refused(error);
    };
    const aborted = () => leave(signal.reason);
    const waiter: Waiter = {
      arrival: this.#arrivals++,
      seated: (seat) => {
        signal.removeEventListener("abort", aborted);
        seated(seat);
      },
      refused: (error) => {
        signal.removeEventListener("abort", aborted);
        refused(error);
      },
      timer: this.#clock.after(this.#limits.waitMsMax, () => leave(overloaded())),
    };
    signal.addEventListener("abort", aborted, { once: true });
    flow.waiting.push(waiter);
    this.#backlogged.add(flow);
    this.#waiting += 1;
  }

  /** Room is made at the cost of whoever has most requests waiting, as long as that is not the flow itself. */
  #hasRoomFor(flow: FlowState): boolean {
    if (flow.waiting.length >= this.#limits.waitingPerFlowMax) return false;
    if (this.#waiting < this.#limits.waitingMax) return true;
    let longest = flow;
    for (const other of this.#backlogged) if (other.waiting.length > longest.waiting.length) longest = other;
    const last = longest.waiting.at(-1);
    if (longest.waiting.length <= flow.waiting.length + 1 || last === undefined) return false;
    this.#remove(longest, last);
    last.refused(overloaded());
    return true;
  }

  #remove(flow: FlowState, waiter: Waiter): boolean {
    const at = flow.waiting.indexOf(waiter);
    if (at < 0) return false;
    flow.waiting.splice(at, 1);
    waiter.timer?.stop();
    this.#waiting -= 1;
    if (flow.waiting.length === 0) this.#backlogged.delete(flow);
    this.#forgetIdle(flow);
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
      this.#forgetIdle(flow);
      this.#seatNext();
    };
    return { release };
  }

  #maySit({ executing }: FlowState): boolean {
    return executing < this.#limits.seatsPerFlowMax;
  }

  #seatNext(): void {
    while (this.#executing < this.#limits.seats) {
      const flow = this.#next();
      const waiter = flow?.waiting[0];
      if (flow === undefined || waiter === undefined) return;
      const seat = this.#seat(flow);
      this.#remove(flow, waiter);
      waiter.seated(seat);
    }
  }

  #next(): FlowState | undefined {
    let next: FlowState | undefined;
    for (const flow of this.#backlogged) {
      if (this.#maySit(flow) && (next === undefined || this.#isBefore(flow, next))) next = flow;
    }
    return next;
  }

  #isBefore(left: FlowState, right: FlowState): boolean {
    const difference = this.#workOf(left) - this.#workOf(right);
    return difference < 0 || (difference === 0 && arrivalOf(left) < arrivalOf(right));
  }

  /** Work that is under way counts as far as it has come: many slow requests at once are much work. */
  #workOf(flow: FlowState): number {
    return flow.work + this.#running(flow);
  }

  #running(flow: FlowState): number {
    return flow.executing * this.#clock.now() - flow.begunMsSum;
  }

  #flowOf(key: string): FlowState {
    const known = this.#flows.get(key);
    if (known !== undefined) return known;
    const flow: FlowState = { key, waiting: [], executing: 0, begunMsSum: 0, work: this.#level };
    this.#flows.set(key, flow);
    return flow;
  }

  #forgetIdle(flow: FlowState): void {
    if (flow.waiting.length === 0 && flow.executing === 0) this.#flows.delete(flow.key);
  }
}

function arrivalOf({ waiting }: FlowState): number {
  return waiting[0]?.arrival ?? Number.POSITIVE_INFINITY;
}

function overloaded(): StatusError {
  return new StatusError(tooManyRequests("Too many requests, please try again later.", retryAfterSeconds));
}
