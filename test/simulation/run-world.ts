import type { SimulatedWorld } from "./world/simulated-world.ts";
import type { Trace } from "./world/trace.ts";
import { type Checker, InvariantBroken, type Program, type Step } from "./world/world.ts";

/** A step that may do to a world what only its makers can. */
export interface WorldStep extends Omit<Step, "take"> {
  readonly take: (world: SimulatedWorld) => void;
}

/** Everything that is to happen in a world. */
export interface Staging {
  readonly steps: readonly WorldStep[];
  readonly checker: Checker;
  /** Machines that run as long as the world does, by name. */
  readonly machines: Readonly<Record<string, Program>>;
  /** How long it takes until faults are over. */
  readonly lengthMs: number;
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
const quietMs = 100_000;
/** A world that takes longer than this to settle does not settle. */
const settleMsMax = 30 * 60_000;
/** And how long it is watched afterwards, if at all: until everything that is looked at every five minutes has been. */
const restsMs = [0, 0, 0, 300_000, 700_000] as const;
const lookMs = 5_000;
/** Far more than any world needs: who writes so much never stops. */
const writesMax = 20_000;

/** Leases are renewed for ever. */
const neverQuiet = new Set(["leases.coordination.k8s.io"]);

/** Steps and faults, then calm, then rest. `only` leaves out steps whose number is not in it. */
export async function runWorld(
  world: SimulatedWorld,
  trace: Trace,
  { steps, checker, machines, lengthMs }: Staging,
  { seed, only }: { readonly seed: number; readonly only?: ReadonlySet<number> },
): Promise<Run> {
  const startMs = world.nowMs;
  const all = [...steps].sort((left, right) => left.atMs - right.atMs).map((step, number) => ({ ...step, number }));
  for (const step of all.filter(({ number }) => only?.has(number) ?? true)) {
    world.later(step.atMs, () => {
      world.note(`step ${step.number}: ${step.what}`);
      step.take(world);
    });
  }
  for (const [name, program] of Object.entries(machines)) world.machine(name).run(program, "lasting");
  const unhandled = (error: unknown): void => world.fail(error);
  process.on("unhandledRejection", unhandled);
  try {
    await playOut(world, checker, lengthMs);
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

async function playOut(world: SimulatedWorld, checker: Checker, lengthMs: number): Promise<void> {
  let seen = world.truth.revision;
  let writtenMs = world.nowMs;
  world.truth.onChange(({ now, atMs }) => {
    if (!neverQuiet.has(now.key.resource)) writtenMs = atMs;
  });
  const turned = (): void => {
    if (world.truth.revision === seen) return;
    seen = world.truth.revision;
    if (seen > writesMax) world.fail(new InvariantBroken("I12", `${writesMax} writes, and no end`));
    else checker.step();
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
  const restMs = world.random("rest").pick(restsMs);
  if (restMs === 0) return;
  await world.pass(restMs, turned);
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
