import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LeaseServer, Machine, type NetworkFault, World } from "../../../test/machines.ts";
import { LeaderElector, NotLeading } from "./leader-elector.ts";

type Trouble =
  | { readonly what: "pause" | "sleep"; readonly machine: number; readonly ms: number }
  | { readonly what: "set clock"; readonly machine: number; readonly ms: number }
  | { readonly what: "network"; readonly fault: NetworkFault | "slow" | "good" }
  | { readonly what: "nothing" };

const machine = fc.nat(2);
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({ what: fc.constantFrom("pause", "sleep"), machine, ms: fc.integer({ min: 100, max: 12_000 }) }),
  fc.record({ what: fc.constant("set clock"), machine, ms: fc.integer({ min: -3_600_000, max: 3_600_000 }) }),
  fc.record({
    what: fc.constant("network"),
    fault: fc.constantFrom("request lost", "answer lost", "slow", "good"),
  }),
  fc.constant({ what: "nothing" }),
) as fc.Arbitrary<Trouble>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tickMs = 50;
const ticksPerTrouble = 40;

interface Candidate {
  readonly machine: Machine;
  readonly election: LeaderElector;
  readonly acting: { count: number };
  readonly running: Promise<void>;
  leave(): void;
}

function candidate(world: World, server: LeaseServer, at: number, speed: number): Candidate {
  const own = new Machine(world, speed, at * 10_000_000);
  const stopped = new AbortController();
  const acting = { count: 0 };
  const election = new LeaderElector({
    leases: server.clientOf(own),
    namespace: "default",
    name: "lease",
    identity: `candidate-${at}`,
    onStartedLeading: async (signal) => {
      acting.count += 1;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      acting.count -= 1;
    },
    clock: own,
    elapsedMs: () => own.elapsedMs(),
    random: { fraction: () => 0.37 * at },
    report: () => undefined,
  });
  return { machine: own, election, acting, running: election.run(stopped.signal), leave: () => stopped.abort() };
}

function strike(candidates: readonly Candidate[], server: LeaseServer, struck: Trouble): void {
  switch (struck.what) {
    case "pause":
    case "sleep":
      candidates[struck.machine]?.machine.pause(struck.ms, struck.what === "sleep");
      break;
    case "set clock":
      candidates[struck.machine]?.machine.setClock(struck.ms);
      break;
    case "network":
      server.delayMs = struck.fault === "slow" ? 900 : 10;
      server.fault = struck.fault === "slow" || struck.fault === "good" ? undefined : struck.fault;
      break;
    case "nothing":
      break;
  }
}

/** The candidates that would act as leader now. */
function leaders(candidates: readonly Candidate[]): number {
  return candidates.filter(({ machine: own, election }) => !own.isPaused && election.isLeading).length;
}

async function pass(world: World, candidates: readonly Candidate[], ticks: number): Promise<number> {
  let most = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    world.pass(tickMs);
    // Before any timers have run: a machine that wakes up must check the time itself.
    most = Math.max(most, leaders(candidates));
    for (const { machine: own } of candidates) own.run();
    await turn();
    most = Math.max(most, leaders(candidates), ...candidates.map(({ acting }) => acting.count));
  }
  return most;
}

describe("leader election", () => {
  it("never has two leaders under clock, machine and network faults, and finally has one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(trouble, { minLength: 3, maxLength: 14 }),
        fc.array(fc.double({ min: 0.92, max: 1.08, noNaN: true }), { minLength: 3, maxLength: 3 }),
        async (troubles, speeds) => {
          const world = new World();
          const server = new LeaseServer(world);
          const candidates = speeds.map((speed, at) => candidate(world, server, at, speed));
          let most = 0;
          for (const struck of troubles) {
            strike(candidates, server, struck);
            most = Math.max(most, await pass(world, candidates, ticksPerTrouble));
          }
          server.fault = undefined;
          server.delayMs = 10;
          most = Math.max(most, await pass(world, candidates, 600));
          expect(most).toBeLessThanOrEqual(1);
          expect(leaders(candidates)).toBe(1);
          for (const { leave } of candidates) leave();
          await pass(world, candidates, 200);
          await Promise.all(candidates.map(({ running }) => running));
          expect(candidates.map(({ acting }) => acting.count)).toEqual([0, 0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("hands over immediately when the leader releases, and within the lease duration when it crashes", async () => {
    const world = new World();
    const server = new LeaseServer(world);
    const [first, second] = [candidate(world, server, 0, 1), candidate(world, server, 1, 1)] as const;
    await pass(world, [first, second], 40);
    expect([first.election.isLeading, second.election.leader]).toEqual([true, "candidate-0"]);
    first.leave();
    await pass(world, [first, second], 30);
    expect(second.election.isLeading).toBe(true);
    second.machine.pause(1_000_000, false);
    const third = candidate(world, server, 2, 1);
    await pass(world, [third], 70);
    expect(third.election.isLeading).toBe(false);
    await pass(world, [third], 50);
    expect(third.election.isLeading).toBe(true);
    third.leave();
    await pass(world, [third], 20);
  });

  it("does not take over after a clock change", async () => {
    const world = new World();
    const server = new LeaseServer(world);
    const [first, second] = [candidate(world, server, 0, 1), candidate(world, server, 1, 1)] as const;
    await pass(world, [first, second], 60);
    expect(first.election.isLeading).toBe(true);
    first.machine.pause(2_500, false); // shorter than a renewal allows leading
    second.machine.setClock(3_600_000);
    await pass(world, [first, second], 49);
    expect(second.election.isLeading).toBe(false);
    for (const { leave } of [first, second]) leave();
    await pass(world, [first, second], 100);
  });

  it("stops a paused leader before it acts again", async () => {
    const world = new World();
    const only = candidate(world, new LeaseServer(world), 0, 1);
    await pass(world, [only], 40);
    expect(() => only.election.fence()).not.toThrow();
    world.pass(3_500); // no timer has run yet
    expect(() => only.election.fence()).toThrow(NotLeading);
    only.leave();
    await pass(world, [only], 20);
    await only.running;
  });

  it("rejects unsafe durations", () => {
    const world = new World();
    const own = new Machine(world, 1, 0);
    const limits = { leaseMs: 4_000, renewMs: 2_000 };
    const options = { namespace: "n", name: "l", identity: "me", onStartedLeading: async () => undefined, clock: own };
    const make = (): LeaderElector =>
      new LeaderElector({
        ...options,
        leases: new LeaseServer(world).clientOf(own),
        elapsedMs: () => 0,
        random: { fraction: () => 0 },
        report: () => undefined,
        limits,
      });
    expect(make).toThrow("two renewals must fit into three quarters of it");
  });
});
