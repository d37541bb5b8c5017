import { type Run, runWorld, type Staging, type WorldStep } from "./run-world.ts";
import { drawFaults } from "./world/faults.ts";
import { planes } from "./world/layout.ts";
import { preparedRecords } from "./world/prepared-records.ts";
import { SeededRandom } from "./world/seeded-random.ts";
import { SimulatedWorld, serverName } from "./world/simulated-world.ts";
import { Trace } from "./world/trace.ts";
import type { Playwright } from "./world/world.ts";

/** What is simulated, apart from chance. Faults are meant for its machines first of all. */
export interface Subject extends Pick<Staging, "machines"> {
  readonly write: Playwright;
  /** Whether all of it runs in the process of the API server. */
  readonly isEmbedded?: boolean;
}

export interface RunOptions {
  readonly seed: number;
  /** How many steps are taken, faults not counted. By the seed when left out. */
  readonly steps?: number;
  /** Only these, by their number in order of time; all when left out. */
  readonly only?: ReadonlySet<number>;
  readonly keeps?: "lines" | "hash only";
}

/** One world by one seed. */
export async function runSeed(subject: Subject, { seed, steps, only, keeps }: RunOptions): Promise<Run> {
  const trace = new Trace(keeps ?? "hash only");
  const { machines, isEmbedded = false } = subject;
  const world = new SimulatedWorld(seed, { records: await preparedRecords(), trace, isEmbedded });
  const size = sizeOf(seed, steps);
  const decider = isEmbedded ? [serverName] : Object.keys(machines);
  const play = subject.write(world, world.random("play"), size);
  const faults = drawFaults(world.random("faults"), {
    count: size.faultCount,
    lengthMs: size.lengthMs,
    machines: [...decider, ...decider, ...(play.machines ?? [])],
    planes: [planes.root, ...planes.projects],
    deciders: isEmbedded ? "embedded" : "apart",
  });
  const all: readonly WorldStep[] = [...play.steps, ...faults];
  const staging = { steps: all, checker: play.checker, machines, lengthMs: size.lengthMs };
  return runWorld(world, trace, staging, { seed, ...(only === undefined ? {} : { only }) });
}

interface Size {
  readonly stepCount: number;
  readonly lengthMs: number;
  readonly faultCount: number;
}

/** Runs of different seeds differ in length: many short ones, some long ones. */
function sizeOf(seed: number, steps: number | undefined): Size {
  const random = new SeededRandom(seed, "size");
  const stepCount = random.pick([random.between(4, 15), random.between(10, 40), random.between(30, 120)]);
  const paceMs = random.pick([50, 300, 1_500]);
  const faultRate = random.pick([0, 0.1, 0.3, 0.6, 1]);
  const count = steps ?? stepCount;
  return { stepCount: count, lengthMs: count * paceMs, faultCount: Math.round(count * faultRate) };
}
