import { type Run, runWorld, type Simulation, type WorldStep } from "./run-world.ts";
import { drawFaults } from "./world/faults.ts";
import { planes } from "./world/layout.ts";
import { preparedRecords } from "./world/prepared-records.ts";
import { SeededRandom } from "./world/seeded-random.ts";
import { SimulatedWorld, serverName } from "./world/simulated-world.ts";
import { Trace } from "./world/trace.ts";
import type { CreateWorkload } from "./world/world.ts";

/** The programs and the workload of a run. Faults hit the machines of the programs most often. */
export interface Setup extends Pick<Simulation, "machines"> {
  readonly createWorkload: CreateWorkload;
  /** Whether controllers and admission run in the process of the API server. */
  readonly isEmbedded?: boolean;
}

export interface RunOptions {
  readonly seed: number;
  /** Number of workload steps, without faults. Drawn from the seed by default. */
  readonly steps?: number;
  /** Runs only the steps with these numbers, counted in order of time. All by default. */
  readonly only?: ReadonlySet<number>;
  readonly keeps?: "lines" | "hash only";
}

/** Runs the simulation of one seed. */
export async function runSeed(setup: Setup, { seed, steps: stepCount, only, keeps }: RunOptions): Promise<Run> {
  const trace = new Trace(keeps ?? "hash only");
  const { machines, isEmbedded = false } = setup;
  const world = new SimulatedWorld(seed, { records: await preparedRecords(), trace, isEmbedded });
  const size = sizeOf(seed, stepCount);
  const controllerMachines = isEmbedded ? [serverName] : Object.keys(machines);
  // The names of random streams are part of what a seed means: renaming one changes all runs.
  const workload = setup.createWorkload(world, world.random("play"), size);
  const faults = drawFaults(world.random("faults"), {
    count: size.faultCount,
    lengthMs: size.lengthMs,
    machines: [...controllerMachines, ...controllerMachines, ...(workload.machines ?? [])],
    planes: [planes.root, ...planes.projects],
    deployment: isEmbedded ? "embedded" : "replicated",
  });
  const steps: readonly WorldStep[] = [...workload.steps, ...faults];
  const simulation = { steps, checker: workload.checker, machines, lengthMs: size.lengthMs };
  return runWorld(world, trace, simulation, { seed, ...(only === undefined ? {} : { only }) });
}

interface Size {
  readonly stepCount: number;
  readonly lengthMs: number;
  readonly faultCount: number;
}

/** Seeds differ in length: many are short, some are long. */
function sizeOf(seed: number, requestedSteps: number | undefined): Size {
  const random = new SeededRandom(seed, "size");
  const stepCount = random.pick([random.between(4, 15), random.between(10, 40), random.between(30, 120)]);
  const paceMs = random.pick([50, 300, 1_500]);
  const faultRate = random.pick([0, 0.1, 0.3, 0.6, 1]);
  const count = requestedSteps ?? stepCount;
  return { stepCount: count, lengthMs: count * paceMs, faultCount: Math.round(count * faultRate) };
}
