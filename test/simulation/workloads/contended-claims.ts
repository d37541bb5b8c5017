import { AdmissionHistory } from "../invariants/admission-history.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import { change, create, remove } from "../scenarios/client-actions.ts";
import { claim, grant, type ResourceRequest, registration } from "../scenarios/quota-objects.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { CreateWorkload, Step, World } from "../world/world.ts";

/** Upper bound of the clock skew that faults inject. */
const clockSkewMsMax = 400_000;
const [cpu, disk, ports] = ["example.com/cpu", "example.com/disk", "example.com/ports"] as const;
const types = [cpu, disk, ports] as const;
const locations = [{ location: "dls" }, { location: "fra" }] as const;

/** Services claim several resource types of one consumer that has too little of each, so that its buckets are always contended. */
export const contendedClaims: CreateWorkload = (world, random, { stepCount, lengthMs }) => {
  const history = new AdmissionHistory();
  const names = Array.from({ length: Math.max(3, stepCount >> 1) }, (_, at) => `c${at}`);
  const steps = Array.from({ length: stepCount }, () => {
    const atMs = random.between(20, lengthMs);
    return drawStep(random, { atMs, name: random.pick(names), history });
  });
  const checker = new QuotaChecker(world, history, { clockSkewMsMax, policyDelayMsMax: 2 * clockSkewMsMax });
  return { steps: [opening(random), ...steps.flat()], checker, machines: ["people"] };
};

function opening(random: SeededRandom): Step {
  const amountMax = random.pick([3, 8, 20]);
  const amounts = types.map(() => random.between(1, amountMax));
  return {
    atMs: 0,
    what: `operator registers and grants ${types.map((type, at) => `${amounts[at]} ${type}`).join(", ")}`,
    take: (world) => {
      create(world, registration(cpu, ["location"]));
      for (const type of [disk, ports]) create(world, registration(type));
      for (const [at, type] of types.entries()) create(world, grant(grantNames[type], type, amounts[at] ?? 0));
    },
  };
}

interface StepDraw {
  readonly atMs: number;
  readonly name: string;
  readonly history: AdmissionHistory;
}

const grantNames = { [cpu]: "cpu", [disk]: "disk", [ports]: "ports" } as const;

function drawStep(random: SeededRandom, { atMs, name, history }: StepDraw): readonly Step[] {
  const deletion = (afterMs: number): Step => ({
    atMs: atMs + afterMs,
    what: `service deletes ${name}`,
    take: (world) =>
      remove(world, { kind: "ResourceClaim", namespace: "default", name }, (uid) => history.claimDeletedByActor(uid)),
  });
  const what = random.fraction();
  if (what < 0.15) return [deletion(0)];
  if (what < 0.25) return [changedGrant(random, atMs)];
  const requests = drawRequests(random);
  const creation: Step = {
    atMs,
    what: `service claims ${requests.map(({ amount, resourceType }) => `${amount} ${resourceType}`).join(" and ")} as ${name}`,
    take: (world) => create(world, claim(name, requests)),
  };
  return random.chance(0.6) ? [creation, deletion(random.pick([5, 40, 400, 2_000]))] : [creation];
}

function drawRequests(random: SeededRandom): readonly ResourceRequest[] {
  const chosen = random.shuffled(types).slice(0, random.pick([1, 2, 3, 3]));
  return chosen.map((resourceType) => {
    const amount = random.between(1, 2);
    return resourceType === cpu
      ? { resourceType, amount, dimensions: random.pick(locations) }
      : { resourceType, amount };
  });
}

/** Some cpu grants are restricted to one location. */
function changedGrant(random: SeededRandom, atMs: number): Step {
  const type = random.pick(types);
  const amount = random.between(0, 12);
  const hasSelector = type === cpu && random.chance(0.5);
  const selector = hasSelector ? { dimensionSelector: { matchLabels: random.pick(locations) } } : {};
  const body = { spec: { allowances: [{ resourceType: type, buckets: [{ amount, ...selector }] }] } };
  return {
    atMs,
    what: `operator grants ${amount} ${type}${hasSelector ? " in one location" : ""}`,
    take: (world: World) =>
      change(world, { kind: "ResourceGrant", namespace: "milo-system", name: grantNames[type] }, body),
  };
}
