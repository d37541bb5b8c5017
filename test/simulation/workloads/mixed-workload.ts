import { EmbeddedQuota } from "../actors/embedded-quota.ts";
import { RemoteAdmission, webhookMachines } from "../actors/remote-admission.ts";
import { drawTopology } from "../actors/topology.ts";
import { AdmissionHistory } from "../invariants/admission-history.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import type { CreateWorkload } from "../world/world.ts";
import { drawSteps } from "./mixed-steps.ts";

/** Upper bound of the clock skew that faults inject: clocks jump by minutes, more than once, and run fast or slow. */
const clockSkewMsMax = 400_000;

const tolerances = { clockSkewMsMax, policyDelayMsMax: 2 * clockSkewMsMax };

/** Operators, services and clients compete for too little quota. Admission runs on separate machines, as webhooks do. */
export const mixedWorkload: CreateWorkload = (world, random, size) => {
  const history = new AdmissionHistory();
  const topology = drawTopology(random);
  const checker = new QuotaChecker(world, history, tolerances);
  world.setAdmission(new RemoteAdmission(world, history, topology.reportsOutcome).admit);
  const steps = drawSteps({ topology, random, history }, size);
  return { steps, checker, machines: [...webhookMachines, "client-1", "service-1"] };
};

/** The same actors, with controllers and admission in the process of the API server. */
export const embeddedMixedWorkload: CreateWorkload = (world, random, size) => {
  const history = new AdmissionHistory();
  const topology = drawTopology(random);
  const checker = new QuotaChecker(world, history, tolerances);
  new EmbeddedQuota(world, history);
  const steps = drawSteps({ topology, random, history }, size);
  return { steps, checker, machines: ["client-1", "service-1"] };
};
