import { drawFaults } from "./world/faults.ts";
import { planes } from "./world/layout.ts";
import { preparedRecords } from "./world/prepared-records.ts";
import { SeededRandom } from "./world/seeded-random.ts";
import { SimulatedWorld } from "./world/simulated-world.ts";
import { Trace } from "./world/trace.ts";
import { type Checker, InvariantBroken, type Playwright, type Program } from "./world/world.ts";

/** What is simulated, apart from chance. */
export interface Subject {
  readonly write: Playwright;
  /** Machines that run as long as the world does, by name. Faults are meant for them first of all. */
  readonly machines: Readonly<Record<string, Program>>;
}

export interface RunOptions {
  readonly seed: number;
  /** How many steps are taken, faults not counted. By the seed when left out. */
  readonly steps?: number;
  /** Only these, by their number in order of time; all when left out. */
  readonly only?: ReadonlySet<number>;
  readonly keeps?: "lines" | "hash only";
}

export interface Run {
  readonly seed: number;
  /** The same for two runs in which the same happened. */
  readonly digest: string;
  readonly lines: readonly string[];
  readonly writes: number;
  /** In order of time, taken or not. */
  readonly steps: readonly NumberedStep[];
  readonly lastedMs: number;
  /** Undefined when nothing is wrong. */
  readonly broken: InvariantBroken | undefined;
}

export interface NumberedStep {
  readonly number: number;
  readonly atMs: number;
  readonly what: string;
}

/** How long nothing may be written for a world to be called settled; longer than anything waits for its time. */
const quietMs = 150_000;
/** A world that takes longer than this to settle does not settle. */
const settleMsMax = 30 * 60_000;
/** And how long it is watched afterwards: some for long, for what happens seldom. */
const restsMs = [60_000, 60_000, 60_000, 600_000] as const;
const lookMs = 5_000;

/** Leases are renewed for ever. */
const neverQuiet = new Set(["leases.coordination.k8s.io"]);

/** One world by one seed: steps and faults, then calm, then rest. */
export async function runSeed(subject: Subject, options: RunOptions): Promise<Run> {
  const { seed } = options;
  const trace = new Trace(options.keeps ?? "hash only");
  const world = new SimulatedWorld(seed, await preparedRecords(), trace);
  const startMs = world.nowMs;
  const size = sizeOf(seed, options.steps);
  const { steps, checker, machines = [] } = subject.write(world, world.random("play"), size);
  const faults = drawFaults(world.random("faults"), {
    count: size.faultCount,
    lengthMs: size.lengthMs,
    machines: [...Object.keys(subject.machines), ...Object.keys(subject.machines), ...machines],
    planes: [planes.root, ...planes.projects],
  });
  const all = [...steps, ...faults]
    .sort((left, right) => left.atMs - right.atMs)
    .map((step, number) => ({ ...step, number }));
  for (const step of all.filter(({ number }) => options.only?.has(number) ?? true)) {
    world.later(step.atMs, () => {
      world.note(`step ${step.number}: ${step.what}`);
      (step.take as (world: SimulatedWorld) => void)(world);
    });
  }
  for (const [name, program] of Object.entries(subject.machines)) world.machine(name).run(program, "lasting");
  const unhandled = (error: unknown): void => world.fail(error);
  process.on("unhandledRejection", unhandled);
  try {
    await playOut(world, checker, size.lengthMs);
  } finally {
    process.off("unhandledRejection", unhandled);
  }
  return {
    seed,
    digest: trace.digest(),
    lines: trace.lines,
    writes: trace.writes,
    steps: all.map(({ number, atMs, what }) => ({ number, atMs, what })),
    lastedMs: world.nowMs - startMs,
    broken: brokenBy(world.failure),
  };
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

interface Size {
  readonly stepCount: number;
  readonly lengthMs: number;
  readonly faultCount: number;
}

async function playOut(world: SimulatedWorld, checker: Checker, lengthMs: number): Promise<void> {
  let seen = world.truth.revision;
  let writtenMs = world.nowMs;
  world.truth.onChange(({ now, atMs }) => {
    if (!neverQuiet.has(now.key.resource)) writtenMs = atMs;
  });
  const turned = (): void => {
    if (world.truth.revision === seen) return;
    seen = world.truth.revision;
    checker.step();
  };
  await world.pass(lengthMs, turned);
  if (world.failure !== undefined) return;
  world.calm();
  const calmMs = world.nowMs;
  while (world.failure === undefined && world.nowMs - Math.max(writtenMs, calmMs) < quietMs) {
    if (world.nowMs - calmMs > settleMsMax) return world.fail(new InvariantBroken("I12", "the world never settles"));
    await world.pass(lookMs, turned);
  }
  await check(world, () => checker.settled());
  if (world.failure !== undefined) return;
  await world.pass(world.random("rest").pick(restsMs), turned);
  await check(world, () => checker.rested());
}

async function check(world: SimulatedWorld, judge: () => void): Promise<void> {
  if (world.failure !== undefined) return;
  try {
    judge();
  } catch (error) {
    world.fail(error);
  }
}

function brokenBy(failure: { readonly error: unknown } | undefined): InvariantBroken | undefined {
  if (failure === undefined) return undefined;
  const { error } = failure;
  if (error instanceof InvariantBroken) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new InvariantBroken("a program failed", text);
}
