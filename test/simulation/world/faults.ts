import type { Mishap, OutsideCall, SimulatedMachine } from "./machine.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type SimulatedWorld, serverName } from "./simulated-world.ts";
import type { Condition } from "./weather.ts";
import type { Step } from "./world.ts";

/** A step that something goes wrong at. */
export interface Fault extends Omit<Step, "take"> {
  readonly take: (world: SimulatedWorld) => void;
}

type Draw = (random: SeededRandom, target: Target) => Omit<Fault, "atMs">;

interface Target {
  /** One of those that the faults are meant for. */
  readonly machine: string;
  readonly plane: string;
}

/** What may go wrong, the likelier the more often it is named. */
const draws: readonly Draw[] = [
  crashAtCall,
  crashAtCall,
  crashAtCall,
  pauseAtCall,
  pauseAtCall,
  cutStreams,
  cutStreams,
  stallStreams,
  stallStreams,
  lossyNetwork,
  lossyNetwork,
  overtakenWrites,
  overtakenWrites,
  expiredWatches,
  troubledPlane,
  clockSet,
  serverCrash,
  serverCrash,
  serverPause,
  diskTrouble,
];

/** Faults between the start of a world and that time, by chance. */
export function drawFaults(
  random: SeededRandom,
  { count, lengthMs, machines, planes }: FaultOptions,
): readonly Fault[] {
  return Array.from({ length: count }, () => {
    const target = { machine: random.pick(machines), plane: random.pick(planes) };
    return { atMs: random.between(0, lengthMs), ...random.pick(draws)(random, target) };
  });
}

export interface FaultOptions {
  readonly count: number;
  readonly lengthMs: number;
  /** Those that crash, stand still, and lose messages. */
  readonly machines: readonly string[];
  readonly planes: readonly string[];
}

/** In the middle of the next few calls, or of the next few writes of something that matters. */
function nextCall(random: SeededRandom): Moment {
  if (random.chance(0.35)) return { calls: random.between(1, random.pick([3, 12, 60])), text: "call" };
  const kind = random.pick(["allowancebuckets", "resourceclaims", "resourceclaims", ""] as const);
  const counts = (call: OutsideCall): boolean =>
    typeof call === "object" &&
    call.method !== "GET" &&
    call.path.includes(`${kind}`) &&
    !call.path.includes("/leases/");
  return {
    calls: random.between(1, random.pick([1, 3, 10])),
    counts,
    text: `write${kind === "" ? "" : ` of ${kind}`}`,
  };
}

interface Moment extends Pick<Mishap, "calls" | "counts"> {
  readonly text: string;
}

function crashAtCall(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const { text, ...moment } = nextCall(random);
  const restartMs = random.pick([random.between(1, 100), random.between(100, 9_000)]);
  const isBefore = random.chance(0.5);
  return {
    what: `${machine} crashes ${isBefore ? "before" : "after"} its ${text} ${moment.calls} from now, for ${restartMs} ms`,
    take: (world) => armCrash(world.machine(machine), moment, { restartMs, isBefore }),
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
function pauseAtCall(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const { text, ...moment } = nextCall(random);
  const forMs = random.pick([random.between(10, 2_000), random.between(3_000, 20_000)]);
  const how = random.chance(0.3) ? "asleep" : "awake";
  return {
    what: `${machine} stands still for ${forMs} ms (${how}) at its ${text} ${moment.calls} from now`,
    take: (world) =>
      world.machine(machine).arm({
        ...moment,
        strike: () => {
          world.machine(machine).pause(forMs, how);
          return true;
        },
      }),
  };
}

function cutStreams(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const condition: Condition = {
    fate: random.pick(["expired", "repeated", "request lost"]),
    probability: 0.5,
    machine,
  };
  const forMs = random.between(1, 3_000);
  return {
    what: `streams of ${machine} are cut; those it opens within ${forMs} ms may be ${condition.fate}`,
    take: (world) => {
      world.network.cut(world.machine(machine));
      world.weather.add(condition, forMs);
    },
  };
}

function stallStreams(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const forMs = random.pick([random.between(20, 500), random.between(500, 8_000)]);
  return {
    what: `streams to ${machine} bring nothing for ${forMs} ms`,
    take: (world) => world.weather.stall(machine, forMs),
  };
}

function lossyNetwork(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const fate = random.pick(["request lost", "answer lost", "answer lost", "arrives late", "busy"] as const);
  const probability = random.pick([0.05, 0.3, 0.8]);
  const forMs = random.between(50, 6_000);
  return {
    what: `of requests of ${machine}, ${probability * 100} in a hundred: ${fate}, for ${forMs} ms`,
    take: (world) => world.weather.add({ fate, probability, machine }, forMs),
  };
}

function overtakenWrites(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const probability = random.pick([0.1, 0.5]);
  const forMs = random.between(50, 4_000);
  return {
    what: `of writes of ${machine}, ${probability * 100} in a hundred are overtaken, for ${forMs} ms`,
    take: (world) => world.weather.add({ fate: "overtaken", probability, machine }, forMs),
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

function clockSet(random: SeededRandom, { machine }: Target): Omit<Fault, "atMs"> {
  const name = random.chance(0.2) ? serverName : machine;
  const speed = random.pick([1, 0.97, 1.03]);
  const byMs = random.pick([0, random.between(-90_000, 90_000), random.between(-3_000, 3_000)]);
  return {
    what: `the clock of ${name} is set by ${byMs} ms and runs at ${speed}`,
    take: (world) => world.machine(name).setClock(speed, byMs),
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
