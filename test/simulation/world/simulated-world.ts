import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { StoreLimits } from "@milo-quota/apiserver/storage/store-limits.ts";
import { SimulatedDisk } from "./disk.ts";
import { EmbeddedProcess } from "./embedded-process.ts";
import { layout, planes } from "./layout.ts";
import { SimulatedMachine } from "./machine.ts";
import { Network } from "./network.ts";
import { NetworkConditions } from "./network-conditions.ts";
import { startMs } from "./prepared-records.ts";
import { SeededRandom } from "./seeded-random.ts";
import { SimulatedServer } from "./server.ts";
import type { Trace } from "./trace.ts";
import { VirtualTime } from "./virtual-time.ts";
import type { AdmitHook, EmbeddedProgram, RemoveHook, Truth, World } from "./world.ts";

export const serverName = "apiserver";

/** Size of the server's watch history. With a short one, clients that were disconnected must list again. */
const historyCounts = [12, 60, 100_000] as const;

/** In one process with the server, effects of a call spread over several turns of the event loop. */
const embeddedTurns = 4;

export interface WorldOptions {
  /** Initial content of the disk. */
  readonly records: readonly LogRecord[];
  readonly trace: Trace;
  readonly hasSteadyLatency?: boolean;
  /** Whether a program runs in the process of the API server. */
  readonly isEmbedded?: boolean;
}

/** A cluster of simulated machines in one process under virtual time. */
export class SimulatedWorld implements World {
  readonly planes = planes;
  readonly layout = layout;
  readonly conditions: NetworkConditions;
  readonly disk: SimulatedDisk;
  readonly server: SimulatedServer;
  readonly network: Network;
  readonly #time: VirtualTime;
  readonly #seed: number;
  readonly #trace: Trace;
  readonly #machines = new Map<string, SimulatedMachine>();
  readonly #embedded: EmbeddedProcess;
  #admit: AdmitHook | undefined;
  #removing: RemoveHook | undefined;
  #areFaultsOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(seed: number, { records, trace, hasSteadyLatency = false, isEmbedded = false }: WorldOptions) {
    this.#seed = seed;
    this.#trace = trace;
    this.#time = new VirtualTime(startMs, isEmbedded ? embeddedTurns : 1);
    const time = this.#time;
    const note = (text: string): void => this.note(text);
    this.conditions = new NetworkConditions(time, hasSteadyLatency);
    this.#embedded = new EmbeddedProcess(this.conditions, this.random("lodger"));
    this.disk = new SimulatedDisk(records, {
      time,
      random: this.random("disk"),
      onFailure: (error) => this.fail(error),
      batching: isEmbedded && !hasSteadyLatency ? "random" : "none",
    });
    this.disk.truth.onChange((change) => trace.stored(change));
    const random = this.random("server");
    const servesProgress = random.chance(0.75);
    this.network = new Network({
      time,
      conditions: this.conditions,
      seed,
      server: () => this.server,
      servesProgress,
      note,
    });
    this.server = new SimulatedServer(this.machine(serverName), {
      disk: this.disk,
      limits: { historyCount: random.pick(historyCounts), ...(isEmbedded ? drawLimits(this.random("limits")) : {}) },
      admit: async (request, signal) => (await this.#admit?.(request, signal)) ?? { allowed: true },
      removing: (leaving) => this.#removing?.(leaving),
      onFailure: (error) => this.fail(error),
      embedded: this.#embedded,
      onDiskFault: () => this.machine(serverName).crash(random.between(10, 3_000)),
    });
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  get truth(): Truth {
    return this.disk.truth;
  }

  get areFaultsOver(): boolean {
    return this.#areFaultsOver;
  }

  get machines(): Iterable<SimulatedMachine> {
    return this.#machines.values();
  }

  /** The first error: of a checker, of a program, or of the simulator. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  random(name: string): SeededRandom {
    return new SeededRandom(this.#seed, name);
  }

  machine(name: string): SimulatedMachine {
    const known = this.#machines.get(name);
    if (known !== undefined) return known;
    const machine = new SimulatedMachine(name, {
      time: this.#time,
      seed: this.#seed,
      note: (text) => this.note(text),
      connect: (sender, life) => this.network.connect(sender, life),
      onCrash: (crashed) => this.#crashed(crashed),
    });
    this.#machines.set(name, machine);
    return machine;
  }

  setAdmission(admit: AdmitHook, removing?: RemoveHook): void {
    this.#admit = admit;
    this.#removing = removing;
  }

  embed(program: EmbeddedProgram): void {
    this.#embedded.program = program;
  }

  /** The machine that holds the leader lease. Embedded controllers always lead. */
  leader(): string | undefined {
    if (this.#embedded.program !== undefined) return serverName;
    for (const { object } of this.truth.list({ resource: "leases.coordination.k8s.io" })) {
      const holder = String((object["spec"] as { readonly holderIdentity?: string } | undefined)?.holderIdentity);
      for (const { name, life } of this.#machines.values()) if (life?.incarnation === holder) return name;
    }
    return undefined;
  }

  later(delayMs: number, call: () => void): void {
    this.#time.later(delayMs, call);
  }

  note(text: string): void {
    this.#trace.note(this.nowMs, text);
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Advances virtual time, until the first failure. */
  async advance(ms: number, onTurn: () => void): Promise<void> {
    await this.#time.advance(this.nowMs + ms, () => {
      if (this.#failure === undefined) this.#orFail(onTurn);
      return this.#failure === undefined;
    });
  }

  /** Stops all faults: from here on everything works. */
  endFaults(): void {
    this.note("faults are over");
    this.#areFaultsOver = true;
    this.conditions.endFaults();
    this.disk.state = "good";
    this.disk.failsNext = false;
    this.disk.isFullNext = false;
    for (const machine of this.#machines.values()) machine.endFaults();
  }

  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  #crashed(machine: SimulatedMachine): void {
    if (machine.name === serverName) this.server.crashed();
    else this.network.crashed(machine);
  }
}

/** Small batches and queues, so that writes are split wherever the store may split them. */
function drawLimits(random: SeededRandom): Partial<StoreLimits> {
  const batchCount = random.pick([1, 2, 5, 1_000]);
  const queueCount = random.pick([5, 1_000, 1_000, 1_000]);
  return { batchCount, queueCount };
}
