import type { SimulatedWorld } from "./world/simulated-world.ts";
import type { Trace } from "./world/trace.ts";
import { type Checker, InvariantViolation, type Program, type Step } from "./world/world.ts";

/** A step with access to the internals of the world, such as its network and disk. */
export interface WorldStep extends Omit<Step, "take"> {
  readonly take: (world: SimulatedWorld) => void;
}

/** Everything that happens in a world. */
export interface Simulation {
  readonly steps: readonly WorldStep[];
  readonly checker: Checker;
  /** Programs that run for the whole simulation, by machine. */
  readonly machines: Readonly<Record<string, Program>>;
  /** After this time no more faults are injected. */
  readonly lengthMs: number;
}

export interface Run {
  readonly seed: number;
  /** Hash of the trace: equal for identical runs. */
  readonly digest: string;
  readonly lines: readonly string[];
  readonly writes: number;
  /** All steps in order of time, whether they ran or not. */
  readonly steps: readonly NumberedStep[];
  readonly lastedMs: number;
  /** Undefined if all invariants held. */
  readonly violation: InvariantViolation | undefined;
}

export interface NumberedStep {
  readonly number: number;
  readonly atMs: number;
  readonly what: string;
}

/** A world is settled after this long without writes. Longer than every timeout in the system. */
const quietMs = 100_000;
/** Limit for settling. */
const settleMsMax = 30 * 60_000;
/** How long a settled world keeps running: not at all, or long enough for the periodic resyncs of five minutes. */
const restsMs = [0, 0, 0, 300_000, 700_000] as const;
const pollMs = 5_000;
/** Far more writes than any simulation needs: beyond this, the controllers write in a loop. */
const writesMax = 20_000;

/** Leases are renewed even in a settled world. */
const alwaysWritten = new Set(["leases.coordination.k8s.io"]);

/** Runs steps and faults, then lets the world settle without faults, then checks it at rest. `only` selects steps by number. */
export async function runWorld(
  world: SimulatedWorld,
  trace: Trace,
  { steps, checker, machines, lengthMs }: Simulation,
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
    await runToQuiescence(world, checker, lengthMs);
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
    violation: violationIn(world.failure),
  };
}

async function runToQuiescence(world: SimulatedWorld, checker: Checker, lengthMs: number): Promise<void> {
  let seen = world.truth.revision;
  let writtenMs = world.nowMs;
  world.truth.onChange(({ now, atMs }) => {
    if (!alwaysWritten.has(now.key.resource)) writtenMs = atMs;
  });
  const onTurn = (): void => {
    if (world.truth.revision === seen) return;
    seen = world.truth.revision;
    if (seen > writesMax) world.fail(new InvariantViolation("I12", `still writing after ${writesMax} writes`));
    else checker.checkStep();
  };
  await world.advance(lengthMs, onTurn);
  if (world.failure !== undefined) return;
  world.endFaults();
  const faultsEndMs = world.nowMs;
  while (world.failure === undefined && world.nowMs - Math.max(writtenMs, faultsEndMs) < quietMs) {
    if (world.nowMs - faultsEndMs > settleMsMax)
      return world.fail(new InvariantViolation("I12", "the world does not settle"));
    await world.advance(pollMs, onTurn);
  }
  await check(world, () => checker.checkSettled());
  if (world.failure !== undefined) return;
  const restMs = world.random("rest").pick(restsMs);
  if (restMs === 0) return;
  await world.advance(restMs, onTurn);
  await check(world, () => checker.checkQuiescent());
}

async function check(world: SimulatedWorld, verify: () => void): Promise<void> {
  if (world.failure !== undefined) return;
  try {
    verify();
  } catch (error) {
    world.fail(error);
  }
}

function violationIn(failure: { readonly error: unknown } | undefined): InvariantViolation | undefined {
  if (failure === undefined) return undefined;
  const { error } = failure;
  if (error instanceof InvariantViolation) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new InvariantViolation("program error", text);
}
