// What those who act in a simulated world, and those who judge it, can see and do.
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
 * All that a program on a machine has of the world. When its machine crashes, none of its calls ever comes back; when
 * the machine is paused, they all come back later.
 */
export interface Host {
  /** Of the machine. */
  readonly name: string;
  /** To the API server, over a network that does its worst. */
  readonly transport: Transport;
  /** As this machine has it: it may be wrong, run at its own speed, and be set. */
  readonly clock: Clock;
  /** A clock that nobody sets. It may run a little fast or slow, and stand still while the machine sleeps. */
  readonly elapsedMs: () => number;
  readonly random: SeededRandom;
  /** Of this run of the machine, and of no other. */
  readonly incarnation: string;
  /** Goes to the trace. */
  readonly report: (where: string, error: unknown) => void;
  /** Whether the machine still runs: what a program of a crashed one remembers or records is nothing. */
  readonly isAlive: boolean;
}

/** Starts something on a machine. It runs until the machine crashes, or it has nothing more to do. */
export type Program = (host: Host) => void;

export interface Machine {
  readonly name: string;
  readonly isUp: boolean;
  /**
   * Starts a program. Programs of one machine crash together. A lasting one is started anew whenever the machine is; one
   * that runs once is not, and while the machine is down it is never started at all.
   */
  run(program: Program, how: "lasting" | "once"): void;
  /** Crashes now; comes back after that time, or never. */
  crash(restartMs: number | "never"): void;
  /** Everything on it stands still; asleep, its running clock too. */
  pause(forMs: number, how: "awake" | "asleep"): void;
}

/** A version of an object that the disk of the API server has. */
export interface TrueObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** Its JSON. */
  readonly text: string;
  readonly object: KubernetesObject & JsonObject;
}

/** One durable write. */
export interface TrueChange {
  readonly type: "added" | "modified" | "deleted";
  /** In true time. */
  readonly atMs: number;
  /** The new state; of a deletion, the last one. */
  readonly now: TrueObject;
  readonly before: TrueObject | undefined;
  /** Whether the next change is of the same transaction. */
  readonly more: boolean;
}

/**
 * What the disk of the API server holds, read without any server or cache in between. It is known here as soon as it is
 * durable, which is a little before anybody else can see it, and even if the server crashes before it tells anybody.
 */
export interface Truth {
  readonly revision: number;
  get(key: ObjectKey): TrueObject | undefined;
  /** In order of plane, namespace and name. */
  list(scope: Scope): readonly TrueObject[];
  /** Called for every durable write, in order. What a listener throws ends the run. */
  onChange(listener: (change: TrueChange) => void): void;
}

export interface World {
  /** True time, in milliseconds since 1970. No machine has it. */
  readonly nowMs: number;
  readonly planes: { readonly root: string; readonly projects: readonly string[] };
  /** How planes are addressed, and whose they are: plane `project-a` is the one of Project `a`. */
  readonly layout: PlaneLayout;
  readonly truth: Truth;
  /** Chance that depends on the seed and this name alone, whatever else happens. */
  random(name: string): SeededRandom;
  /** The machine of that name; made when it is first asked for. */
  machine(name: string): Machine;
  /** Asked before the API server stores anything, in every life of it; before the first call everything is let in. */
  guard(door: Door, removing?: Removing): void;
  /** Runs in the process of the API server, in every life of it; before the first call nobody else does. */
  lodge(lodger: Lodger): void;
  /** In true time; nothing stops it. */
  later(delayMs: number, call: () => void): void;
  /** Whether faults are over, and nothing but a working world follows. */
  readonly isCalm: boolean;
  /** A line of the trace. */
  note(text: string): void;
}

/**
 * A program in the process of the API server, with a way into it that nothing gets lost on. They end together. Nobody
 * reaches the server before it is ready.
 */
export type Lodger = (host: Host, server: EmbeddedServer) => Promise<void>;

/** Decides what the API server stores. */
export type Door = NonNullable<AdmissionPlugin["validate"]>;

/** Says what goes together with an object that leaves the store. */
export type Removing = NonNullable<AdmissionPlugin["removing"]>;

/** Something that happens at its time, unless it is left out to find out whether a failure needs it. */
export interface Step {
  readonly atMs: number;
  /** One line for people. */
  readonly what: string;
  readonly take: (world: World) => void;
}

/** Judges a world. Each method throws InvariantBroken. */
export interface Checker {
  /** Called after every turn of the world in which anything was stored, or a step was taken. */
  step(): void;
  /** Faults are long over, and nothing was written for a while. */
  settled(): void;
  /** A long time passed since `settled`. */
  rested(): void;
}

/** What is simulated with one seed: who acts, when, and who judges. Steps are made before anything happens. */
export interface Play {
  readonly steps: readonly Step[];
  readonly checker: Checker;
  /** Machines that faults are meant for as well. */
  readonly machines?: readonly string[];
}

/** The one for quota is `quotaPlay` in actors/quota-play.ts. Steps happen from 0 to `lengthMs` after the start of the world; `stepCount` of them, more or less. */
export type Playwright = (
  world: World,
  random: SeededRandom,
  size: { readonly stepCount: number; readonly lengthMs: number },
) => Play;

/** What must never happen has happened. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
  /** Such as `I1`. */
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}
