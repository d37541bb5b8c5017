import type { Mishap, OutsideCall, SimulatedMachine } from "./machine.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type SimulatedWorld, serverName } from "./simulated-world.ts";
import type { Condition } from "./weather.ts";
import type { Step } from "./world.ts";

/** A step that something goes wrong at. */
export interface Fault extends Omit<Step, "take"> {
  readonly take: (world: SimulatedWorld) => void;
}

export interface FaultOptions {
  readonly count: number;
  readonly lengthMs: number;
  /** Those that crash, stand still, and lose messages. */
  readonly machines: readonly string[];
  readonly planes: readonly string[];
  /** Whether those who decide have machines of their own. */
  readonly deciders: keyof typeof urns;
}

interface Target {
  /** Whom it hits: a machine by its name, or whichever leads by then. */
  readonly text: string;
  readonly machineIn: (world: SimulatedWorld) => SimulatedMachine;
  readonly machines: readonly string[];
  readonly plane: string;
}

type Draw = (random: SeededRandom, target: Target) => Omit<Fault, "atMs">;

/** What may go wrong, and how likely one is beside the others. */
const draws: readonly (readonly [weight: number, draw: Draw])[] = [
  [4, crashAtCall],
  [5, pauseAtCall],
  [4, takeover],
  [2, cutStreams],
  [4, stallStreams],
  [4, troubledNetwork],
  [4, overtakenWrites],
  [1, expiredWatches],
  [1, troubledPlane],
  [1, clockSet],
  [4, slowClock],
  [2, serverCrash],
  [1, serverPause],
  [1, diskTrouble],
];

/** The same where everything that decides is in the process of the server: its crashes and its disk are what matters. */
const embeddedDraws: typeof draws = [
  [5, crashAtCall],
  [3, pauseAtCall],
  [2, troubledNetwork],
  [4, overtakenWrites],
  [1, troubledPlane],
  [1, clockSet],
  [1, slowClock],
  [4, serverCrash],
  [2, serverPause],
  [4, diskTrouble],
  [6, fullForAMoment],
];

const urns = { apart: urnOf(draws), embedded: urnOf(embeddedDraws) } as const;

function urnOf(weighed: typeof draws): readonly Draw[] {
  return weighed.flatMap(([weight, draw]) => Array.from({ length: weight }, () => draw));
}

/** Kinds that are worth being late, or lost, by themselves. */
const kinds = ["resourceclaims", "allowancebuckets", "resourcegrants", "resourceregistrations", undefined] as const;

/** Faults between the start of a world and that time, by chance. */
export function drawFaults(random: SeededRandom, options: FaultOptions): readonly Fault[] {
  return Array.from({ length: options.count }, () => {
    const target = drawTarget(random, options);
    return { atMs: random.between(0, options.lengthMs), ...random.pick(urns[options.deciders])(random, target) };
  });
}

function drawTarget(random: SeededRandom, { machines, planes }: FaultOptions): Target {
  const name = random.pick(machines);
  const hitsLeader = random.chance(0.6);
  return {
    text: hitsLeader ? "whoever leads" : name,
    machineIn: (world) => world.machine((hitsLeader ? world.leader() : undefined) ?? name),
    machines,
    plane: random.pick(planes),
  };
}

/** In the middle of the next few calls, or of the next few writes of something that matters. */
function nextCall(random: SeededRandom): Moment {
  if (random.chance(0.25)) return { calls: random.between(1, random.pick([3, 12, 60])), text: "call" };
  const kind = random.pick(["allowancebuckets", "allowancebuckets", "resourceclaims", ""] as const);
  const counts = (call: OutsideCall): boolean =>
    typeof call === "object" && call.method !== "GET" && call.path.includes(kind) && !call.path.includes("/leases");
  return { calls: random.between(1, random.pick([2, 4, 10])), counts, text: `write${kind && ` of ${kind}`}` };
}

interface Moment extends Pick<Mishap, "calls" | "counts"> {
  readonly text: string;
}

function crashAtCall(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const { text: call, ...moment } = nextCall(random);
  const restartMs = random.pick([random.between(1, 100), random.between(100, 9_000)]);
  const isBefore = random.chance(0.5);
  return {
    what: `${text} crashes ${isBefore ? "before" : "after"} ${call} ${moment.calls} from now, for ${restartMs} ms`,
    take: (world) => armCrash(machineIn(world), moment, { restartMs, isBefore }),
  };
}

function armCrash(
  machine: SimulatedMachine,
  moment: Pick<Mishap, "calls" | "counts">,
  { restartMs, isBefore }: { readonly restartMs: number; readonly isBefore: boolean },
): void {
  machine.arm({
    ...moment,
    strike: () => {
      machine.crash(restartMs);
      return !isBefore;
    },
  });
}

/** A leader that stands still for longer than its lease does not know that another one leads by now. */
function pauseAtCall(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const { text: call, ...moment } = nextCall(random);
  const forMs = random.pick([random.between(10, 2_000), random.between(4_000, 9_000), random.between(4_000, 20_000)]);
  const how = random.chance(0.3) ? "asleep" : "awake";
  return {
    what: `${text} stands still for ${forMs} ms (${how}) at ${call} ${moment.calls} from now`,
    take: (world) => {
      const machine = machineIn(world);
      machine.arm({
        ...moment,
        strike: () => {
          machine.pause(forMs, how);
          return true;
        },
      });
    },
  };
}

/** Somebody else has to lead who has not heard of the latest. */
function takeover(random: SeededRandom, { machines }: Target): Omit<Fault, "atMs"> {
  const kind = random.pick(kinds);
  const afterMs = random.pick([0, random.between(0, 4_000)]);
  const forMs = random.between(4_500, 12_000);
  const crashes = random.chance(0.5);
  const ends = `${crashes ? "crashes" : "stands still"} in ${afterMs} ms, for ${forMs} ms`;
  return {
    what: `whoever leads ${ends}; others hear nothing of ${kind ?? "anything"}`,
    take: (world) => {
      const leader = world.leader();
      const others = machines.filter((name) => name !== leader);
      for (const machine of others) world.weather.stall(stallOf(machine, kind), afterMs + forMs);
      if (leader === undefined) return;
      world.later(afterMs, () => {
        if (world.isCalm) return;
        if (crashes) world.machine(leader).crash(forMs);
        else world.machine(leader).pause(forMs, "awake");
      });
    },
  };
}

function stallOf(machine: string, kind: string | undefined): Pick<Condition, "machine" | "kind"> {
  return { machine, ...(kind === undefined ? {} : { kind }) };
}

function cutStreams(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick(["expired", "repeated", "request lost"] as const);
  const forMs = random.between(1, 3_000);
  return {
    what: `streams of ${text} are cut; those opened within ${forMs} ms may be ${fate}`,
    take: (world) => {
      const machine = machineIn(world);
      world.network.cut(machine);
      world.weather.add({ fate, probability: 0.5, machine: machine.name }, forMs);
    },
  };
}

function stallStreams(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const kind = random.pick(kinds);
  const forMs = random.pick([random.between(20, 500), random.between(500, 15_000)]);
  return {
    what: `streams to ${text} bring nothing of ${kind ?? "anything"} for ${forMs} ms`,
    take: (world) => world.weather.stall(stallOf(machineIn(world).name, kind), forMs),
  };
}

const lossFates = ["request lost", "answer lost", "answer lost", "arrives late", "answered slowly", "busy"] as const;

function troubledNetwork(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick([...lossFates, "answered slowly" as const]);
  const probability = random.pick([0.05, 0.3, 0.8]);
  const kind = random.pick(kinds);
  const forMs = random.between(50, 10_000);
  return {
    what: `of requests of ${text} about ${kind ?? "anything"}, ${probability * 100} in a hundred: ${fate}, for ${forMs} ms`,
    take: (world) => world.weather.add({ fate, probability, ...stallOf(machineIn(world).name, kind) }, forMs),
  };
}

function overtakenWrites(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const probability = random.pick([0.1, 0.4]);
  const kind = random.pick(["allowancebuckets", "allowancebuckets", "resourceclaims", undefined] as const);
  const forMs = random.between(1_000, 20_000);
  return {
    what: `of writes of ${text} to ${kind ?? "anything"}, ${probability * 100} in a hundred are overtaken, for ${forMs} ms`,
    take: (world) =>
      world.weather.add({ fate: "overtaken", probability, ...stallOf(machineIn(world).name, kind) }, forMs),
  };
}

function expiredWatches(random: SeededRandom): Omit<Fault, "atMs"> {
  const forMs = random.between(100, 5_000);
  return {
    what: `all streams are cut, and history is short for ${forMs} ms`,
    take: (world) => {
      world.weather.add({ fate: "expired", probability: 0.7 }, forMs);
      for (const machine of world.machines) world.network.cut(machine);
    },
  };
}

function troubledPlane(random: SeededRandom, { plane }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick(["unavailable", "request lost"] as const);
  const probability = random.pick([0.3, 1]);
  const forMs = random.between(100, 12_000);
  return {
    what: `of requests into ${plane}, ${probability * 100} in a hundred: ${fate}, for ${forMs} ms`,
    take: (world) => world.weather.add({ fate, probability, plane }, forMs),
  };
}

function clockSet(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const isServer = random.chance(0.2);
  const speed = random.pick([1, 0.97, 1.03]);
  const byMs = random.pick([0, random.between(-90_000, 90_000), random.between(-3_000, 3_000)]);
  return {
    what: `the clock of ${isServer ? serverName : text} is set by ${byMs} ms and runs at ${speed}`,
    take: (world) => (isServer ? world.machine(serverName) : machineIn(world)).setClock(speed, byMs),
  };
}

/** Whoever leads by a clock that hardly runs does so for much longer than others believe: there are two of them then. */
function slowClock(random: SeededRandom, { text, machineIn }: Target): Omit<Fault, "atMs"> {
  const speed = random.pick([0.3, 0.1, 0.02]);
  const forMs = random.between(4_500, 12_000);
  const isHeard = random.chance(0.5);
  return {
    what: `the clocks of ${text} run at ${speed} for ${forMs} ms, and its lease is ${isHeard ? "" : "not "}renewed`,
    take: (world) => {
      const machine = machineIn(world);
      machine.setClock(speed, 0);
      if (!isHeard)
        world.weather.add({ fate: "request lost", probability: 1, machine: machine.name, kind: "leases" }, forMs);
      world.later(forMs, () => {
        if (!world.isCalm) machine.setClock(1, 0);
      });
    },
  };
}

function serverCrash(random: SeededRandom): Omit<Fault, "atMs"> {
  const calls = random.between(1, random.pick([4, 30]));
  const restartMs = random.pick([random.between(1, 200), random.between(200, 6_000)]);
  const isBefore = random.chance(0.5);
  return {
    what: `the API server crashes at its call ${calls} from now, for ${restartMs} ms`,
    take: (world) => armCrash(world.machine(serverName), { calls }, { restartMs, isBefore }),
  };
}

function serverPause(random: SeededRandom): Omit<Fault, "atMs"> {
  const forMs = random.between(20, 6_000);
  return {
    what: `the API server stands still for ${forMs} ms`,
    take: (world) => world.machine(serverName).pause(forMs, "awake"),
  };
}

function diskTrouble(random: SeededRandom): Omit<Fault, "atMs"> {
  const trouble = random.pick(["slow", "slow", "full", "fails"] as const);
  const forMs = random.between(50, 5_000);
  if (trouble === "fails") {
    return {
      what: "the next write to the disk fails, and nobody knows whether it is there",
      take: ({ disk }) => {
        disk.failsNext = true;
      },
    };
  }
  return {
    what: `the disk is ${trouble} for ${forMs} ms`,
    take: (world) => {
      world.disk.state = trouble;
      world.later(forMs, () => {
        if (world.disk.state === trouble) world.disk.state = "good";
      });
    },
  };
}

/** What had its place in the log is taken back, and everything goes on. */
function fullForAMoment(random: SeededRandom): Omit<Fault, "atMs"> {
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
