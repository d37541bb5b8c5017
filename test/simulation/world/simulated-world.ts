import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import type { StoreLimits } from "@milo-quota/apiserver/storage/store-limits.ts";
import { SimulatedDisk } from "./disk.ts";
import { layout, planes } from "./layout.ts";
import { Lodging } from "./lodging.ts";
import { SimulatedMachine } from "./machine.ts";
import { Network } from "./network.ts";
import { startMs } from "./prepared-records.ts";
import { SeededRandom } from "./seeded-random.ts";
import { SimulatedServer } from "./server.ts";
import type { Trace } from "./trace.ts";
import { VirtualTime } from "./virtual-time.ts";
import { Weather } from "./weather.ts";
import type { Door, Lodger, Removing, Truth, World } from "./world.ts";

export const serverName = "apiserver";

/** How much of history the server keeps, by the seed: with little, whoever was away has to read everything anew. */
const historyCounts = [12, 60, 100_000] as const;

/** Where programs share a process with the server, what one does reaches the other in later turns of the event loop. */
const embeddedTurns = 4;

export interface WorldOptions {
  /** What is on the disk. */
  readonly records: readonly LogRecord[];
  readonly trace: Trace;
  readonly isSteady?: boolean;
  /** Whether somebody runs in the process of the server. */
  readonly isEmbedded?: boolean;
}

/** One process that believes to be many machines. */
export class SimulatedWorld implements World {
  readonly planes = planes;
  readonly layout = layout;
  readonly weather: Weather;
  readonly disk: SimulatedDisk;
  readonly server: SimulatedServer;
  readonly network: Network;
  readonly #time: VirtualTime;
  readonly #seed: number;
  readonly #trace: Trace;
  readonly #machines = new Map<string, SimulatedMachine>();
  readonly #lodging: Lodging;
  #door: Door | undefined;
  #removing: Removing | undefined;
  #isCalm = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(seed: number, { records, trace, isSteady = false, isEmbedded = false }: WorldOptions) {
    this.#seed = seed;
    this.#trace = trace;
    this.#time = new VirtualTime(startMs, isEmbedded ? embeddedTurns : 1);
    const time = this.#time;
    const note = (text: string): void => this.note(text);
    this.weather = new Weather(time, isSteady);
    this.#lodging = new Lodging(this.weather, this.random("lodger"));
    this.disk = new SimulatedDisk(records, {
      time,
      random: this.random("disk"),
      failed: (error) => this.fail(error),
      gathering: isEmbedded && !isSteady ? "by chance" : "at once",
    });
    this.disk.truth.onChange((change) => trace.stored(change));
    const random = this.random("server");
    const tellsProgress = random.chance(0.75);
    this.network = new Network({
      time,
      weather: this.weather,
      seed,
      server: () => this.server,
      tellsProgress,
      note,
    });
    this.server = new SimulatedServer(this.machine(serverName), {
      disk: this.disk,
      limits: { historyCount: random.pick(historyCounts), ...(isEmbedded ? drawLimits(this.random("limits")) : {}) },
      door: async (request, signal) => (await this.#door?.(request, signal)) ?? { allowed: true },
      removing: (leaving) => this.#removing?.(leaving),
      failed: (error) => this.fail(error),
      lodging: this.#lodging,
      broken: () => this.machine(serverName).crash(random.between(10, 3_000)),
    });
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  get truth(): Truth {
    return this.disk.truth;
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  get machines(): Iterable<SimulatedMachine> {
    return this.#machines.values();
  }

  /** What went wrong with the world itself, or was found to be wrong in the middle of things. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  random(name: string): SeededRandom {
    return new SeededRandom(this.#seed, name);
  }

  machine(name: string): SimulatedMachine {
    const known = this.#machines.get(name);
    if (known !== undefined) return known;
    const made = new SimulatedMachine(name, {
      time: this.#time,
      seed: this.#seed,
      note: (text) => this.note(text),
      connect: (machine, life) => this.network.connect(machine, life),
      ended: (machine) => this.#crashed(machine),
    });
    this.#machines.set(name, made);
    return made;
  }

  guard(door: Door, removing?: Removing): void {
    this.#door = door;
    this.#removing = removing;
  }

  lodge(lodger: Lodger): void {
    this.#lodging.lodger = lodger;
  }

  /** Of those that share work by a lease, the one that has it; in the process of the server it is always that one. */
  leader(): string | undefined {
    if (this.#lodging.lodger !== undefined) return serverName;
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

  /** Lets time pass, until something is wrong. */
  async pass(ms: number, turned: () => void): Promise<void> {
    await this.#time.pass(this.nowMs + ms, () => {
      if (this.#failure === undefined) this.#orFail(turned);
      return this.#failure === undefined;
    });
  }

  /** From here on everything works as it should. */
  calm(): void {
    this.note("faults are over");
    this.#isCalm = true;
    this.weather.calm();
    this.disk.state = "good";
    this.disk.failsNext = false;
    this.disk.isFullNext = false;
    for (const machine of this.#machines.values()) machine.calm();
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

/** Few writes at a time, or that may wait: what belongs together is then parted wherever it may be. */
function drawLimits(random: SeededRandom): Partial<StoreLimits> {
  const batchCount = random.pick([1, 2, 5, 1_000]);
  const queueCount = random.pick([5, 1_000, 1_000, 1_000]);
  return { batchCount, queueCount };
}
