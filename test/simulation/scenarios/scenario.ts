import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { AdmissionHistory } from "../invariants/admission-history.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import { replica } from "../quota-replica.ts";
import { type Run, runWorld, type WorldStep } from "../run-world.ts";
import { layout } from "../world/layout.ts";
import { preparedRecords } from "../world/prepared-records.ts";
import { SimulatedWorld } from "../world/simulated-world.ts";
import { Trace } from "../world/trace.ts";
import { InvariantViolation, type Program } from "../world/world.ts";

/** A scripted order of events, for bugs that random schedules seldom reach. All invariants must hold. */
export interface Scenario {
  readonly name: string;
  readonly steps: (context: ScenarioContext) => readonly WorldStep[];
  /** Time until faults end; later than the last step. */
  readonly lengthMs: number;
  /** Whether controllers and admission run in the process of the API server. */
  readonly isEmbedded?: boolean;
}

export interface ScenarioContext {
  readonly world: SimulatedWorld;
  readonly history: AdmissionHistory;
}

/** Scenarios have one fixed seed. Only latencies of a few milliseconds are random. */
const seed = 7;
const clockSkewMsMax = 1_000;

export async function runScenario(scenario: Scenario, keeps: "lines" | "hash only"): Promise<Run> {
  const { steps, lengthMs, isEmbedded = false } = scenario;
  const trace = new Trace(keeps);
  const world = new SimulatedWorld(seed, {
    records: await preparedRecords(),
    trace,
    hasSteadyLatency: true,
    isEmbedded,
  });
  const history = new AdmissionHistory();
  const checker = new QuotaChecker(world, history, { clockSkewMsMax, policyDelayMsMax: clockSkewMsMax });
  return runWorld(world, trace, { steps: steps({ world, history }), checker, machines: {}, lengthMs }, { seed });
}

/** Controllers without leader election: two of them are two concurrent writers. */
const writer: Program = (host) => {
  const { clock, elapsedMs, random, incarnation, report } = host;
  const planes = planesOfServer(host.transport, layout);
  const runtime = { planes, clock, elapsedMs, random, incarnation, report };
  new Controllers({ runtime, leadership: "alone" }).start();
};

export function step(atMs: number, what: string, take: WorldStep["take"]): WorldStep {
  return { atMs, what, take };
}

export function startWriter(atMs: number, name: string): WorldStep {
  return step(atMs, `${name} starts`, (world) => world.machine(name).run(writer, "lasting"));
}

/** Starts controllers with leader election. */
export function startReplica(atMs: number, name: string): WorldStep {
  return step(atMs, `${name} starts with leader election`, (world) => world.machine(name).run(replica, "lasting"));
}

/** Fails the run if the ConfigMap is not stored by then, although it fits. */
export function expectStored(atMs: number, name: string): WorldStep {
  return step(atMs, `${name} must be stored`, (world) => {
    const stored = world.truth.list({ resource: "configmaps" });
    if (stored.some(({ key }) => key.name === name)) return;
    world.fail(new InvariantViolation("timeliness", `${name} is not stored although it fits`));
  });
}

/** Matches status writes of the ledger bucket of a type, given by its last part. */
export function writesBucket(type: string): (call: Call) => boolean {
  return ({ method, path }) => method === "PUT" && path.includes(`/allowancebuckets/organization-acme-${type}-`);
}

export function writesClaimStatus(name: string): (call: Call) => boolean {
  return ({ method, path }) => method === "PATCH" && path.endsWith(`/resourceclaims/${name}/status`);
}

export function deletesBucket(type: string): (call: Call) => boolean {
  return ({ method, path }) => method === "DELETE" && path.includes(`/allowancebuckets/organization-acme-${type}-`);
}
