import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { MachineClock } from "./machine-clock.ts";
import { MachineTimers } from "./machine-timers.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Host, Machine, Program } from "./world.ts";

/** One incarnation of a machine, from its start to its crash. */
export interface Life {
  readonly incarnation: string;
  isOver: boolean;
}

/** A call out of a program: a request to the API server, a disk operation or a timer. */
export type ExternalCall = Call | "disk" | "timer";

/** A fault that triggers at the given number of matching calls from now. */
export interface ArmedFault {
  calls: number;
  /** Calls that count; all by default. */
  readonly matches?: (call: ExternalCall) => boolean;
  /** Returns whether the call is still made. */
  readonly trigger: () => boolean;
}

export interface MachineDeps {
  readonly time: VirtualTime;
  readonly seed: number;
  readonly note: (text: string) => void;
  /** The transport of one incarnation. */
  readonly connect: (machine: SimulatedMachine, life: Life) => Host["transport"];
  /** Called after a crash, for its peers. */
  readonly onCrash: (machine: SimulatedMachine, life: Life) => void;
}

/** A machine with its own clocks that can crash, pause and restart. */
export class SimulatedMachine implements Machine {
  readonly name: string;
  readonly #deps: MachineDeps;
  readonly #lasting: Program[] = [];
  readonly #random: SeededRandom;
  readonly #clock: MachineClock;
  readonly #timers: MachineTimers;
  #life: Life | undefined;
  #lives = 0;
  #pausedUntilMs = 0;
  /** Deliveries during a pause. */
  #held: (() => void)[] = [];
  #armedFault: ArmedFault | undefined;
  #isGoneForGood = false;

  constructor(name: string, deps: MachineDeps) {
    this.name = name;
    this.#deps = deps;
    this.#random = new SeededRandom(deps.seed, `machine ${name}`);
    this.#clock = new MachineClock(() => deps.time.nowMs);
    this.#timers = new MachineTimers(deps.time, this.#clock);
    this.#boot();
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get isPaused(): boolean {
    return this.#deps.time.nowMs < this.#pausedUntilMs;
  }

  run(program: Program, how: "lasting" | "once"): void {
    if (how === "lasting") this.#lasting.push(program);
    const life = this.#life;
    if (life !== undefined) this.deliver(life, () => program(this.#hostOf(life)));
  }

  crash(restartMs: number | "never"): void {
    const life = this.#life;
    this.#isGoneForGood ||= restartMs === "never";
    if (life !== undefined) {
      this.#deps.note(`${this.name} crashes`);
      life.isOver = true;
      this.#life = undefined;
      this.#armedFault = undefined;
      this.#held = [];
      this.#timers.clear();
      this.#pausedUntilMs = 0;
      this.#deps.onCrash(this, life);
    }
    if (restartMs !== "never") this.#deps.time.later(restartMs, () => this.#boot());
  }

  pause(forMs: number, how: "awake" | "asleep"): void {
    const { time, note } = this.#deps;
    if (this.#life === undefined || this.isPaused) return;
    note(`${this.name} pauses for ${Math.round(forMs)} ms, ${how}`);
    this.#pausedUntilMs = time.nowMs + forMs;
    if (how === "asleep") this.#clock.sleep(forMs);
    time.later(forMs, () => this.#resume());
  }

  /** Arms a fault for one of the next calls. */
  arm(fault: ArmedFault): void {
    if (this.#life !== undefined) this.#armedFault = fault;
  }

  /** Sets the speed of both clocks and moves the wall clock. */
  setClock(speed: number, wallByMs: number): void {
    this.#deps.note(`${this.name}: clock jumps by ${wallByMs} ms and runs at speed ${speed.toFixed(3)}`);
    this.#clock.set(speed, wallByMs);
    this.#timers.readjust();
  }

  /** Ends all faults of the machine. */
  endFaults(): void {
    this.#armedFault = undefined;
    this.#clock.correct();
    this.#timers.readjust();
    if (this.isPaused) {
      this.#pausedUntilMs = 0;
      this.#resume();
    }
    if (!this.#isGoneForGood) this.#boot();
  }

  /** Delivers something to this incarnation, after the pause if the machine is paused. */
  deliver(life: Life, call: () => void): void {
    if (life.isOver) return;
    if (this.isPaused) this.#held.push(() => this.deliver(life, call));
    else call();
  }

  /** Triggers an armed fault if it is due. False if the machine crashes before the call. */
  mayCall(call: ExternalCall): boolean {
    const fault = this.#armedFault;
    if (fault === undefined || fault.matches?.(call) === false) return true;
    fault.calls -= 1;
    if (fault.calls > 0) return true;
    this.#armedFault = undefined;
    return fault.trigger();
  }

  #boot(): void {
    if (this.#life !== undefined || this.#isGoneForGood) return;
    this.#lives += 1;
    const life: Life = { incarnation: `${this.name}-${this.#lives}`, isOver: false };
    this.#life = life;
    if (this.#lives > 1) this.#deps.note(`${this.name} restarts`);
    for (const program of this.#lasting) program(this.#hostOf(life));
  }

  /** After a pause, all held deliveries happen at once and in order. */
  #resume(): void {
    if (this.isPaused) return;
    const held = this.#held;
    this.#held = [];
    for (const call of held) this.#deps.time.later(0, call);
  }

  #hostOf(life: Life): Host {
    return {
      name: this.name,
      transport: this.#deps.connect(this, life),
      clock: this.#clockOf(life),
      elapsedMs: () => this.#clock.elapsedMs,
      random: this.#random,
      incarnation: life.incarnation,
      report: (where, error) => {
        if (!life.isOver) this.#deps.note(`${this.name} reports (${where}): ${textOf(error)}`);
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
          this.deliver(life, () => {
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
