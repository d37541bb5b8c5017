// Machines that share one lease: each has its own clocks, which run at different speeds, are set, or stop.

import type { LeaderElectorOptions } from "../src/client/lease/leader-elector.ts";
import type { Lease } from "../src/client/lease/lease-object.ts";
import { parseLease } from "../src/client/lease/lease-object.ts";
import { ConnectionFailed } from "../src/client/transport/transport.ts";
import { failure, StatusError } from "../src/protocol/api-status.ts";
import type { Clock, Timer } from "../src/protocol/clock.ts";
import type { JsonObject } from "../src/protocol/json-value.ts";
import type { KubernetesObject } from "../src/protocol/object-meta.ts";

/** Real time, and the timers due at some point of it. */
export class World {
  nowMs = 0;
  readonly #due: { readonly atMs: number; readonly call: () => void }[] = [];

  later(delayMs: number, call: () => void): void {
    this.#due.push({ atMs: this.nowMs + delayMs, call });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    for (const due of this.#due.splice(0).sort((left, right) => left.atMs - right.atMs)) {
      if (due.atMs <= this.nowMs) due.call();
      else this.#due.push(due);
    }
  }
}

export class Machine implements Clock {
  readonly #world: World;
  readonly #speed: number;
  #wallOffsetMs: number;
  /** How long its monotonic clock was suspended. */
  #asleepMs = 0;
  #pausedUntilMs = 0;
  #isAsleep = false;
  readonly #timers = new Set<{ readonly dueMs: number; readonly call: () => void }>();
  readonly #inbox: (() => void)[] = [];

  constructor(world: World, speed: number, wallOffsetMs: number) {
    this.#world = world;
    this.#speed = speed;
    this.#wallOffsetMs = wallOffsetMs;
  }

  get isPaused(): boolean {
    return this.#world.nowMs < this.#pausedUntilMs;
  }

  now(): number {
    return this.#world.nowMs * this.#speed + this.#wallOffsetMs;
  }

  elapsedMs(): number {
    return this.#world.nowMs * this.#speed - this.#asleepMs;
  }

  after(delayMs: number, call: () => void): Timer {
    const timer = { dueMs: this.elapsedMs() + delayMs, call };
    this.#timers.add(timer);
    return { stop: () => this.#timers.delete(timer) };
  }

  /** Suspends the machine. Asleep, its monotonic clock stops too. */
  pause(ms: number, sleeps: boolean): void {
    if (this.isPaused) return;
    this.#pausedUntilMs = this.#world.nowMs + ms;
    this.#isAsleep = sleeps;
    if (sleeps) this.#asleepMs += ms * this.#speed;
  }

  /** Sets the wall clock. Setting it back while the other one sleeps cannot be detected. */
  setClock(byMs: number): void {
    if (byMs < 0 && this.isPaused && this.#isAsleep) return;
    this.#wallOffsetMs += byMs;
  }

  /** Network input waits until the machine runs. */
  receive(call: () => void): void {
    this.#inbox.push(call);
  }

  run(): void {
    if (this.isPaused) return;
    for (const call of this.#inbox.splice(0)) call();
    for (const timer of [...this.#timers]) {
      if (timer.dueMs > this.elapsedMs() || !this.#timers.delete(timer)) continue;
      timer.call();
    }
  }
}

export type NetworkFault = "request lost" | "answer lost";

/** One lease behind a slow network. */
export class LeaseServer {
  readonly #world: World;
  #object: JsonObject | undefined;
  #revision = 0;
  delayMs = 10;
  fault: NetworkFault | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  clientOf(machine: Machine): LeaderElectorOptions["leases"] {
    const send = <Value>(serve: () => Value): Promise<Value> => this.#send(machine, serve);
    return {
      find: () => send(() => this.#lease()),
      create: (object) =>
        send(() => {
          if (this.#object !== undefined) throw new StatusError(failure("AlreadyExists", "already exists"));
          return this.#store(object);
        }),
      update: (object) =>
        send(() => {
          const isCurrent = object.metadata.resourceVersion === String(this.#revision);
          if (!isCurrent) throw new StatusError(failure("Conflict", "the object has been modified"));
          return this.#store(object);
        }),
    };
  }

  #send<Value>(machine: Machine, serve: () => Value): Promise<Value> {
    const { fault, delayMs } = this;
    return new Promise((resolve, reject) => {
      this.#world.later(delayMs, () => {
        const lost = new ConnectionFailed({ method: "GET", path: "/lease" }, "ECONNRESET");
        if (fault === "request lost") return machine.receive(() => reject(lost));
        const answer = outcomeOf(serve);
        this.#world.later(delayMs, () =>
          machine.receive(fault === "answer lost" ? () => reject(lost) : () => answer(resolve, reject)),
        );
      });
    });
  }

  #lease(): Lease | undefined {
    if (this.#object === undefined) return undefined;
    const parsed = parseLease(this.#object);
    return parsed.ok ? parsed.value : undefined;
  }

  #store(object: KubernetesObject): Lease {
    this.#revision += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#revision) };
    this.#object = { ...object, metadata } as unknown as JsonObject;
    return this.#lease() as Lease;
  }
}

function outcomeOf<Value>(
  serve: () => Value,
): (resolve: (value: Value) => void, reject: (error: unknown) => void) => void {
  try {
    const value = serve();
    return (resolve) => resolve(value);
  } catch (error) {
    return (_resolve, reject) => reject(error);
  }
}
