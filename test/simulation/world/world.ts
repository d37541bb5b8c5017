// The interface of a simulated world to actors and checkers.
import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ObjectKey, Scope } from "@milo-quota/apiserver/storage/object-key.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { PlaneLayout } from "@milo-quota/quota/views/planes-of-server.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * Everything that a program gets from its machine. After a crash of the machine its calls never return; during a pause
 * they return late.
 */
export interface Host {
  /** Name of the machine. */
  readonly name: string;
  /** To the API server, over an unreliable network. */
  readonly transport: Transport;
  /** Wall clock and timers of the machine: may be wrong, run fast or slow, and jump. */
  readonly clock: Clock;
  /** Monotonic clock of the machine: may run fast or slow, and stops while the machine sleeps. */
  readonly elapsedMs: () => number;
  readonly random: SeededRandom;
  /** Unique for each start of the machine. */
  readonly incarnation: string;
  /** Writes to the trace. */
  readonly report: (where: string, error: unknown) => void;
  /** False after a crash. A program must not record anything from then on. */
  readonly isAlive: boolean;
}

/** A program runs until its machine crashes or it has nothing left to do. */
export type Program = (host: Host) => void;

export interface Machine {
  readonly name: string;
  readonly isUp: boolean;
  /**
   * Starts a program. Programs of one machine crash together. A lasting program restarts with its machine. One that runs
   * once does not, and is dropped if the machine is down.
   */
  run(program: Program, how: "lasting" | "once"): void;
  /** Crashes now and restarts after the given time, or never. */
  crash(restartMs: number | "never"): void;
  /** Pauses all programs; with `asleep`, the monotonic clock stops too. */
  pause(forMs: number, how: "awake" | "asleep"): void;
}

/** A version of an object on the disk of the API server. */
export interface StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** Its JSON. */
  readonly text: string;
  readonly object: KubernetesObject & JsonObject;
}

/** One durable write. */
export interface StoredChange {
  readonly type: "added" | "modified" | "deleted";
  /** True time of the write. */
  readonly atMs: number;
  /** The new state, or the last one for a deletion. */
  readonly now: StoredObject;
  readonly before: StoredObject | undefined;
  /** Whether the next change belongs to the same transaction. */
  readonly more: boolean;
}

/**
 * Ground truth: the content of the API server's disk, without server or cache in between. A write is visible here as soon
 * as it is durable, before any client can see it and even if the server crashes before it answers.
 */
export interface Truth {
  readonly revision: number;
  get(key: ObjectKey): StoredObject | undefined;
  /** Sorted by plane, namespace and name. */
  list(scope: Scope): readonly StoredObject[];
  /** Calls the listener for every durable write, in order. An error of the listener ends the run. */
  onChange(listener: (change: StoredChange) => void): void;
}

export interface World {
  /** True time in milliseconds since 1970. No machine can read it. */
  readonly nowMs: number;
  readonly planes: { readonly root: string; readonly projects: readonly string[] };
  /** Addresses and owners of planes: plane `project-a` belongs to Project `a`. */
  readonly layout: PlaneLayout;
  readonly truth: Truth;
  /** A random stream that depends only on the seed and the name. */
  random(name: string): SeededRandom;
  /** The machine of that name, created on first use. */
  machine(name: string): Machine;
  /** Sets the admission plug-in of the API server, for all its incarnations. Without one, everything is admitted. */
  setAdmission(admit: AdmitHook, removing?: RemoveHook): void;
  /** Sets the program that runs in the process of the API server, in all its incarnations. */
  embed(program: EmbeddedProgram): void;
  /** Calls back after a delay in true time, regardless of crashes. */
  later(delayMs: number, call: () => void): void;
  /** Whether fault injection has ended. */
  readonly areFaultsOver: boolean;
  /** Adds a line to the trace. */
  note(text: string): void;
}

/**
 * A program in the process of the API server, with an in-process transport that loses nothing. It crashes with the server.
 * The server accepts no requests before the program is ready.
 */
export type EmbeddedProgram = (host: Host, server: EmbeddedServer) => Promise<void>;

/** Decides whether the API server stores a change. */
export type AdmitHook = NonNullable<AdmissionPlugin["validate"]>;

/** Returns what is removed in one transaction with an object. */
export type RemoveHook = NonNullable<AdmissionPlugin["companionsOfRemoval"]>;

/** A workload action or a fault at a given time. Shrinking leaves steps out to find those that a failure needs. */
export interface Step {
  readonly atMs: number;
  /** Description for the trace. */
  readonly what: string;
  readonly take: (world: World) => void;
}

/** Checks the invariants. Each method throws InvariantViolation. */
export interface Checker {
  /** Called after every event that stored something. */
  checkStep(): void;
  /** Called when faults have ended and nothing has been written for a while. */
  checkSettled(): void;
  /** Called a long time after `checkSettled`. */
  checkQuiescent(): void;
}

/** The steps and the checker of one seed. All steps are drawn before the run starts. */
export interface Workload {
  readonly steps: readonly Step[];
  readonly checker: Checker;
  /** Further machines that faults may hit. */
  readonly machines?: readonly string[];
}

/** Draws a workload of about `stepCount` steps between 0 and `lengthMs` after the start. */
export type CreateWorkload = (
  world: World,
  random: SeededRandom,
  size: { readonly stepCount: number; readonly lengthMs: number },
) => Workload;

export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
  /** Such as `I1`. */
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}
