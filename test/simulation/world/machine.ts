import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { MachineClock } from "./machine-clock.ts";
import { MachineTimers } from "./machine-timers.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Host, Machine, Program } from "./world.ts";

/** One run of a machine, from its start to its crash. */
export interface Life {
  readonly incarnation: string;
  isOver: boolean;
}

/** A call to the outside: to the API server, to the disk, or to the clock, for a timer. */
export type OutsideCall = Call | "disk" | "timer";

/** Something that happens to a machine in the middle of its work: at that many calls to the outside from now. */
export interface Mishap {
  calls: number;
  /** Which calls count; all of them when left out. */
  readonly counts?: (call: OutsideCall) => boolean;
  /** True when the call itself is still made. */
  readonly strike: () => boolean;
}

export interface MachinePorts {
  readonly time: VirtualTime;
  readonly seed: number;
  readonly note: (text: string) => void;
  /** The network as a machine has it in one of its lives. */
  readonly connect: (machine: SimulatedMachine, life: Life) => Host["transport"];
  /** A life is over: those it was connected to find out. */
  readonly ended: (machine: SimulatedMachine, life: Life) => void;
}

/** A machine with clocks of its own, that crashes, stands still, and comes back. */
export class SimulatedMachine implements Machine {
  readonly name: string;
  readonly #ports: MachinePorts;
  readonly #lasting: Program[] = [];
  readonly #random: SeededRandom;
  readonly #clock: MachineClock;
  readonly #timers: MachineTimers;
  #life: Life | undefined;
  #lives = 0;
  #pausedUntilMs = 0;
  /** What is due once it is no longer paused. */
  #held: (() => void)[] = [];
  #mishap: Mishap | undefined;
  #isGoneForGood = false;

  constructor(name: string, ports: MachinePorts) {
    this.name = name;
    this.#ports = ports;
    this.#random = new SeededRandom(ports.seed, `machine ${name}`);
    this.#clock = new MachineClock(() => ports.time.nowMs);
    this.#timers = new MachineTimers(ports.time, this.#clock);
    this.#boot();
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get isPaused(): boolean {
    return this.#ports.time.nowMs < this.#pausedUntilMs;
  }

  run(program: Program, how: "lasting" | "once"): void {
    if (how === "lasting") this.#lasting.push(program);
    const life = this.#life;
    if (life !== undefined) this.soon(life, () => program(this.#hostOf(life)));
  }

  crash(restartMs: number | "never"): void {
    const life = this.#life;
    this.#isGoneForGood ||= restartMs === "never";
    if (life !== undefined) {
      this.#ports.note(`${this.name} crashes`);
      life.isOver = true;
      this.#life = undefined;
      this.#mishap = undefined;
      this.#held = [];
      this.#timers.clear();
      this.#pausedUntilMs = 0;
      this.#ports.ended(this, life);
    }
    if (restartMs !== "never") this.#ports.time.later(restartMs, () => this.#boot());
  }

  pause(forMs: number, how: "awake" | "asleep"): void {
    const { time, note } = this.#ports;
    if (this.#life === undefined || this.isPaused) return;
    note(`${this.name} stands still for ${Math.round(forMs)} ms, ${how}`);
    this.#pausedUntilMs = time.nowMs + forMs;
    if (how === "asleep") this.#clock.sleep(forMs);
    time.later(forMs, () => this.#resume());
  }

  /** Something happens to it at one of its next calls. */
  arm(mishap: Mishap): void {
    if (this.#life !== undefined) this.#mishap = mishap;
  }

  /** From now on its clocks run at this speed; somebody sets the one on the wall. */
  setClock(speed: number, wallByMs: number): void {
    this.#ports.note(`${this.name} has its clock set by ${wallByMs} ms, and it runs at ${speed.toFixed(3)}`);
    this.#clock.set(speed, wallByMs);
    this.#timers.readjust();
  }

  /** Back to a machine as they should be. */
  calm(): void {
    this.#mishap = undefined;
    this.#clock.correct();
    this.#timers.readjust();
    if (this.isPaused) {
      this.#pausedUntilMs = 0;
      this.#resume();
    }
    if (!this.#isGoneForGood) this.#boot();
  }

  /** Something reaches the machine now, in this life of it; while it is paused, that waits. */
  soon(life: Life, call: () => void): void {
    if (life.isOver) return;
    if (this.isPaused) this.#held.push(() => this.soon(life, call));
    else call();
  }

  /** Whether a call to the outside is made; it is not when the machine crashes right before it. */
  mayCall(call: OutsideCall): boolean {
    const mishap = this.#mishap;
    if (mishap === undefined || mishap.counts?.(call) === false) return true;
    mishap.calls -= 1;
    if (mishap.calls > 0) return true;
    this.#mishap = undefined;
    return mishap.strike();
  }

  #boot(): void {
    if (this.#life !== undefined || this.#isGoneForGood) return;
    this.#lives += 1;
    const life: Life = { incarnation: `${this.name}-${this.#lives}`, isOver: false };
    this.#life = life;
    if (this.#lives > 1) this.#ports.note(`${this.name} starts anew`);
    for (const program of this.#lasting) program(this.#hostOf(life));
  }

  /** After a pause everything that was due happens at once, in the order in which it was. */
  #resume(): void {
    if (this.isPaused) return;
    const held = this.#held;
    this.#held = [];
    for (const call of held) this.#ports.time.later(0, call);
  }

  #hostOf(life: Life): Host {
    return {
      name: this.name,
      transport: this.#ports.connect(this, life),
      clock: this.#clockOf(life),
      elapsedMs: () => this.#clock.elapsedMs,
      random: this.#random,
      incarnation: life.incarnation,
      report: (where, error) => {
        if (!life.isOver) this.#ports.note(`${this.name} reports (${where}): ${textOf(error)}`);
      },
      get isAlive() {
        return !life.isOver;
      },
    };
  }

  #clockOf(life: Life): Clock {
    return {
      now: () => this.#clock.wallMs,
      after: (delayMs, call) => {
        if (life.isOver || !this.mayCall("timer")) return { stop: () => undefined };
        let isStopped = false;
        const timer = this.#timers.add(delayMs, () =>
          this.soon(life, () => {
            if (!isStopped) call();
          }),
        );
        return {
          stop: () => {
            isStopped = true;
            timer.stop();
          },
        };
      },
    };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
