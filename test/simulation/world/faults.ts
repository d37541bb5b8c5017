import type { ArmedFault, ExternalCall, SimulatedMachine } from "./machine.ts";
import type { NetworkFault } from "./network-conditions.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type SimulatedWorld, serverName } from "./simulated-world.ts";
import type { Step } from "./world.ts";

/** A step that injects a fault. */
export interface Fault extends Omit<Step, "take"> {
  readonly take: (world: SimulatedWorld) => void;
}

export interface FaultOptions {
  readonly count: number;
  readonly lengthMs: number;
  /** Machines that crash, pause and lose messages. */
  readonly machines: readonly string[];
  readonly planes: readonly string[];
  /** Whether the controllers run as replicas or in the process of the API server. */
  readonly deployment: keyof typeof weightedDraws;
}

interface Target {
  /** A machine by name, or the leader at the time of the fault. */
  readonly text: string;
  readonly machineIn: (world: SimulatedWorld) => SimulatedMachine;
  readonly machines: readonly string[];
  readonly plane: string;
}

type Draw = (random: SeededRandom, target: Target) => Omit<Fault, "atMs">;

/** All faults with their relative frequencies. */
const draws: readonly (readonly [weight: number, draw: Draw])[] = [
  [4, crashAtCall],
  [5, pauseAtCall],
  [4, failover],
  [2, cutStreams],
  [4, stallStreams],
  [4, unreliableNetwork],
  [4, conflictingWrites],
  [1, expiredWatches],
  [1, unavailablePlane],
  [1, clockJump],
  [4, slowClock],
  [2, serverCrash],
  [1, serverPause],
  [1, diskFault],
];

/** Faults for embedded controllers: crashes and the disk of the server matter most. */
const embeddedDraws: typeof draws = [
  [5, crashAtCall],
  [3, pauseAtCall],
  [2, unreliableNetwork],
  [4, conflictingWrites],
  [1, unavailablePlane],
  [1, clockJump],
  [1, slowClock],
  [4, serverCrash],
  [2, serverPause],
  [4, diskFault],
  [6, diskBrieflyFull],
];

const weightedDraws = { replicated: repeatByWeight(draws), embedded: repeatByWeight(embeddedDraws) } as const;

function repeatByWeight(weighted: typeof draws): readonly Draw[] {
  return weighted.flatMap(([weight, draw]) => Array.from({ length: weight }, () => draw));
}

/** Kinds whose messages are delayed or lost alone; undefined for all kinds. */
const kinds = ["resourceclaims", "allowancebuckets", "resourcegrants", "resourceregistrations", undefined] as const;

/** Draws faults at random times. */
export function drawFaults(random: SeededRandom, options: FaultOptions): readonly Fault[] {
  return Array.from({ length: options.count }, () => {
    const target = drawTarget(random, options);
    return {
      atMs: random.between(0, options.lengthMs),
      ...random.pick(weightedDraws[options.deployment])(random, target),
    };
  });
}

function drawTarget(random: SeededRandom, { machines, planes }: FaultOptions): Target {
  const name = random.pick(machines);
  const hitsLeader = random.chance(0.6);
  return {
    text: hitsLeader ? "the leader" : name,
    machineIn: (world) => world.machine((hitsLeader ? world.leader() : undefined) ?? name),
    machines,
    plane: random.pick(planes),
  };
}

/** One of the next calls, or of the next writes to a kind. */
function drawCall(random: SeededRandom): TriggerPoint {
  if (random.chance(0.25)) return { calls: random.between(1, random.pick([3, 12, 60])), text: "call" };
  const kind = random.pick(["allowancebuckets", "allowancebuckets", "resourceclaims", ""] as const);
  const matches = (call: ExternalCall): boolean =>
    typeof call === "object" && call.method !== "GET" && call.path.includes(kind) && !call.path.includes("/leases");
  return { calls: random.between(1, random.pick([2, 4, 10])), matches, text: `write${kind && ` of ${kind}`}` };
}

interface TriggerPoint extends Pick<ArmedFault, "calls" | "matches"> {
  readonly text: string;
}

function crashAtCall(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const { text: call, ...point } = drawCall(random);
  const restartMs = random.pick([random.between(1, 100), random.between(100, 9_000)]);
  const isBefore = random.chance(0.5);
  return {
    what: `${text} crashes ${isBefore ? "before" : "after"} its next ${call} number ${point.calls}, for ${restartMs} ms`,
    take: (world) => armCrash(machineIn(world), point, { restartMs, isBefore }),
  };
}

function armCrash(
  machine: SimulatedMachine,
  point: Pick<ArmedFault, "calls" | "matches">,
  { restartMs, isBefore }: { readonly restartMs: number; readonly isBefore: boolean },
): void {
  machine.arm({
    ...point,
    trigger: () => {
      machine.crash(restartMs);
      return !isBefore;
    },
  });
}

/** A leader that is paused for longer than its lease does not know that it has been replaced. */
function pauseAtCall(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const { text: call, ...point } = drawCall(random);
  const forMs = random.pick([random.between(10, 2_000), random.between(4_000, 9_000), random.between(4_000, 20_000)]);
  const how = random.chance(0.3) ? "asleep" : "awake";
  return {
    what: `${text} pauses for ${forMs} ms (${how}) at its next ${call} number ${point.calls}`,
    take: (world) => {
      const machine = machineIn(world);
      machine.arm({
        ...point,
        trigger: () => {
          machine.pause(forMs, how);
          return true;
        },
      });
    },
  };
}

/** The leader fails, and its successor has a stale cache. */
function failover(random: SeededRandom, { machines }: Target): Omit<Fault, "atMs"> {
  const kind = random.pick(kinds);
  const afterMs = random.pick([0, random.between(0, 4_000)]);
  const forMs = random.between(4_500, 12_000);
  const crashes = random.chance(0.5);
  const outage = `${crashes ? "crashes" : "pauses"} in ${afterMs} ms, for ${forMs} ms`;
  return {
    what: `the leader ${outage}; streams of others to ${kind ?? "all kinds"} stall`,
    take: (world) => {
      const leader = world.leader();
      const others = machines.filter((name) => name !== leader);
      for (const machine of others) world.conditions.stall(stallOf(machine, kind), afterMs + forMs);
      if (leader === undefined) return;
      world.later(afterMs, () => {
        if (world.areFaultsOver) return;
        if (crashes) world.machine(leader).crash(forMs);
        else world.machine(leader).pause(forMs, "awake");
      });
    },
  };
}

function stallOf(machine: string, kind: string | undefined): Pick<NetworkFault, "machine" | "kind"> {
  return { machine, ...(kind === undefined ? {} : { kind }) };
}

function cutStreams(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick(["expired", "repeated", "request lost"] as const);
  const forMs = random.between(1, 3_000);
  return {
    what: `streams of ${text} are cut; new ones within ${forMs} ms: ${fate}`,
    take: (world) => {
      const machine = machineIn(world);
      world.network.cut(machine);
      world.conditions.add({ fate, probability: 0.5, machine: machine.name }, forMs);
    },
  };
}

function stallStreams(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const kind = random.pick(kinds);
  const forMs = random.pick([random.between(20, 500), random.between(500, 15_000)]);
  return {
    what: `streams of ${text} to ${kind ?? "all kinds"} stall for ${forMs} ms`,
    take: (world) => world.conditions.stall(stallOf(machineIn(world).name, kind), forMs),
  };
}

const lossFates = ["request lost", "answer lost", "answer lost", "arrives late", "answered slowly", "busy"] as const;

function unreliableNetwork(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick([...lossFates, "answered slowly" as const]);
  const probability = random.pick([0.05, 0.3, 0.8]);
  const kind = random.pick(kinds);
  const forMs = random.between(50, 10_000);
  return {
    what: `${probability * 100} % of the requests of ${text} to ${kind ?? "all kinds"}: ${fate}, for ${forMs} ms`,
    take: (world) => world.conditions.add({ fate, probability, ...stallOf(machineIn(world).name, kind) }, forMs),
  };
}

function conflictingWrites(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const probability = random.pick([0.1, 0.4]);
  const kind = random.pick(["allowancebuckets", "allowancebuckets", "resourceclaims", undefined] as const);
  const forMs = random.between(1_000, 20_000);
  return {
    what: `${probability * 100} % of the writes of ${text} to ${kind ?? "all kinds"}: concurrent edit, for ${forMs} ms`,
    take: (world) =>
      world.conditions.add({ fate: "concurrent edit", probability, ...stallOf(machineIn(world).name, kind) }, forMs),
  };
}

function expiredWatches(random: SeededRandom): Omit<Fault, "atMs"> {
  const forMs = random.between(100, 5_000);
  return {
    what: `all streams are cut, and watches expire for ${forMs} ms`,
    take: (world) => {
      world.conditions.add({ fate: "expired", probability: 0.7 }, forMs);
      for (const machine of world.machines) world.network.cut(machine);
    },
  };
}

function unavailablePlane(random: SeededRandom, { plane }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick(["unavailable", "request lost"] as const);
  const probability = random.pick([0.3, 1]);
  const forMs = random.between(100, 12_000);
  return {
    what: `${probability * 100} % of the requests to ${plane}: ${fate}, for ${forMs} ms`,
    take: (world) => world.conditions.add({ fate, probability, plane }, forMs),
  };
}

function clockJump(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const isServer = random.chance(0.2);
  const speed = random.pick([1, 0.97, 1.03]);
  const byMs = random.pick([0, random.between(-90_000, 90_000), random.between(-3_000, 3_000)]);
  return {
    what: `the clock of ${isServer ? serverName : text} jumps by ${byMs} ms and runs at speed ${speed}`,
    take: (world) => (isServer ? world.machine(serverName) : machineIn(world)).setClock(speed, byMs),
  };
}

/** A leader with a slow clock holds its lease for longer than other replicas believe, so that there are two leaders. */
function slowClock(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const speed = random.pick([0.3, 0.1, 0.02]);
  const forMs = random.between(4_500, 12_000);
  const isLeaseRenewed = random.chance(0.5);
  return {
    what: `the clocks of ${text} run at speed ${speed} for ${forMs} ms, and its lease is ${isLeaseRenewed ? "" : "not "}renewed`,
    take: (world) => {
      const machine = machineIn(world);
      machine.setClock(speed, 0);
      if (!isLeaseRenewed)
        world.conditions.add({ fate: "request lost", probability: 1, machine: machine.name, kind: "leases" }, forMs);
      world.later(forMs, () => {
        if (!world.areFaultsOver) machine.setClock(1, 0);
      });
    },
  };
}

function serverCrash(random: SeededRandom): Omit<Fault, "atMs"> {
  const calls = random.between(1, random.pick([4, 30]));
  const restartMs = random.pick([random.between(1, 200), random.between(200, 6_000)]);
  const isBefore = random.chance(0.5);
  return {
    what: `the API server crashes at its next call number ${calls}, for ${restartMs} ms`,
    take: (world) => armCrash(world.machine(serverName), { calls }, { restartMs, isBefore }),
  };
}

function serverPause(random: SeededRandom): Omit<Fault, "atMs"> {
  const forMs = random.between(20, 6_000);
  return {
    what: `the API server pauses for ${forMs} ms`,
    take: (world) => world.machine(serverName).pause(forMs, "awake"),
  };
}

function diskFault(random: SeededRandom): Omit<Fault, "atMs"> {
  const problem = random.pick(["slow", "slow", "full", "fails"] as const);
  const forMs = random.between(50, 5_000);
  if (problem === "fails") {
    return {
      what: "the next disk operation fails and may or may not be applied",
      take: ({ disk }) => {
        disk.failsNext = true;
      },
    };
  }
  return {
    what: `the disk is ${problem} for ${forMs} ms`,
    take: (world) => {
      world.disk.state = problem;
      world.later(forMs, () => {
        if (world.disk.state === problem) world.disk.state = "good";
      });
    },
  };
}

/** Queued writes are rolled back, and the server keeps running. */
function diskBrieflyFull(random: SeededRandom): Omit<Fault, "atMs"> {
  const forMs = random.pick([random.between(1, 8), random.between(5, 200)]);
  return {
    what: `the disk is full for ${forMs} ms`,
    take: (world) => {
      world.disk.state = "full";
      world.later(forMs, () => {
        if (world.disk.state === "full") world.disk.state = "good";
      });
    },
  };
}
