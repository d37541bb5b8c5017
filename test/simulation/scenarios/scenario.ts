import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { AdmissionBook } from "../invariants/admission-book.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import { replica } from "../quota-replica.ts";
import { type Run, runWorld, type WorldStep } from "../run-world.ts";
import { layout } from "../world/layout.ts";
import { preparedRecords } from "../world/prepared-records.ts";
import { SimulatedWorld } from "../world/simulated-world.ts";
import { Trace } from "../world/trace.ts";
import { InvariantBroken, type Program } from "../world/world.ts";

/** An exact order of events, for mistakes that chance alone seldom shows. Nothing is wrong at its end. */
export interface Scenario {
  readonly name: string;
  readonly steps: (stage: Stage) => readonly WorldStep[];
  /** Long enough for every step, in milliseconds. */
  readonly lengthMs: number;
  /** Whether controllers and admission run in the process of the API server. */
  readonly isEmbedded?: boolean;
}

export interface Stage {
  readonly world: SimulatedWorld;
  readonly book: AdmissionBook;
}

/** The one seed: nothing here is left to chance but how long requests take, within a few milliseconds. */
const seed = 7;
const clocksDifferMs = 1_000;

export async function runScenario(scenario: Scenario, keeps: "lines" | "hash only"): Promise<Run> {
  const { steps, lengthMs, isEmbedded = false } = scenario;
  const trace = new Trace(keeps);
  const world = new SimulatedWorld(seed, { records: await preparedRecords(), trace, isSteady: true, isEmbedded });
  const book = new AdmissionBook();
  const checker = new QuotaChecker(world, book, { clocksDifferMs, unsureMs: clocksDifferMs });
  return runWorld(world, trace, { steps: steps({ world, book }), checker, machines: {}, lengthMs }, { seed });
}

/** Controllers that believe to be the only ones: two of them are two writers at once. */
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

/** One that leads by a lease. */
export function startReplica(atMs: number, name: string): WorldStep {
  return step(atMs, `${name} starts, as one of several`, (world) => world.machine(name).run(replica, "lasting"));
}

/** The ConfigMap has come by then: nothing was in its way, and nobody need wait any longer. */
export function isStored(atMs: number, name: string): WorldStep {
  return step(atMs, `${name} is there by now`, (world) => {
    const stored = world.truth.list({ resource: "configmaps" });
    if (stored.some(({ key }) => key.name === name)) return;
    world.fail(new InvariantBroken("promptness", `${name} is not stored, though there is room for it`));
  });
}

/** Whether a call writes the status of a page of this resource, by the last part of its type. */
export function writesPage(type: string): (call: Call) => boolean {
  return ({ method, path }) => method === "PUT" && path.includes(`/allowancebuckets/organization-acme-${type}-`);
}

export function answersClaim(name: string): (call: Call) => boolean {
  return ({ method, path }) => method === "PATCH" && path.endsWith(`/resourceclaims/${name}/status`);
}

export function deletesPage(type: string): (call: Call) => boolean {
  return ({ method, path }) => method === "DELETE" && path.includes(`/allowancebuckets/organization-acme-${type}-`);
}
