import { AdmissionBook } from "./invariants/admission-book.ts";
import { QuotaChecker } from "./invariants/quota-checker.ts";
import { change, create, remove } from "./scenarios/people.ts";
import { type Asked, claim, grant, registration } from "./scenarios/quota-objects.ts";
import type { SeededRandom } from "./world/seeded-random.ts";
import type { Playwright, Step, World } from "./world/world.ts";

/** As wrong as clocks are ever set. */
const clocksDifferMs = 400_000;
const [cpu, disk, ports] = ["example.com/cpu", "example.com/disk", "example.com/ports"] as const;
const types = [cpu, disk, ports] as const;
const places = [{ location: "dls" }, { location: "fra" }] as const;

/** Services that all want several things at once of the one who has too little of each: every page is always contended. */
export const crowdedPlay: Playwright = (world, random, { stepCount, lengthMs }) => {
  const book = new AdmissionBook();
  const names = Array.from({ length: Math.max(3, stepCount >> 1) }, (_, at) => `c${at}`);
  const steps = Array.from({ length: stepCount }, () => {
    const atMs = random.between(20, lengthMs);
    return drawStep(random, { atMs, name: random.pick(names), book });
  });
  const checker = new QuotaChecker(world, book, { clocksDifferMs, unsureMs: 2 * clocksDifferMs });
  return { steps: [opening(random), ...steps.flat()], checker, machines: ["people"] };
};

function opening(random: SeededRandom): Step {
  const plenty = random.pick([3, 8, 20]);
  const amounts = types.map(() => random.between(1, plenty));
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

interface Drawing {
  readonly atMs: number;
  readonly name: string;
  readonly book: AdmissionBook;
}

const grantNames = { [cpu]: "cpu", [disk]: "disk", [ports]: "ports" } as const;

function drawStep(random: SeededRandom, { atMs, name, book }: Drawing): readonly Step[] {
  const end = (afterMs: number): Step => ({
    atMs: atMs + afterMs,
    what: `service deletes ${name}`,
    take: (world) =>
      remove(world, { kind: "ResourceClaim", namespace: "default", name }, (uid) => book.endedByHand(uid)),
  });
  const what = random.fraction();
  if (what < 0.15) return [end(0)];
  if (what < 0.25) return [changedGrant(random, atMs)];
  const asked = drawAsked(random);
  const made: Step = {
    atMs,
    what: `service claims ${asked.map(({ amount, resourceType }) => `${amount} ${resourceType}`).join(" and ")} as ${name}`,
    take: (world) => create(world, claim(name, asked)),
  };
  return random.chance(0.6) ? [made, end(random.pick([5, 40, 400, 2_000]))] : [made];
}

function drawAsked(random: SeededRandom): readonly Asked[] {
  const wanted = random.shuffled(types).slice(0, random.pick([1, 2, 3, 3]));
  return wanted.map((resourceType) => {
    const amount = random.between(1, 2);
    return resourceType === cpu ? { resourceType, amount, dimensions: random.pick(places) } : { resourceType, amount };
  });
}

/** Some of cpu is for one place only. */
function changedGrant(random: SeededRandom, atMs: number): Step {
  const type = random.pick(types);
  const amount = random.between(0, 12);
  const isPlaced = type === cpu && random.chance(0.5);
  const selector = isPlaced ? { dimensionSelector: { matchLabels: random.pick(places) } } : {};
  const body = { spec: { allowances: [{ resourceType: type, buckets: [{ amount, ...selector }] }] } };
  return {
    atMs,
    what: `operator grants ${amount} ${type}${isPlaced ? " in one place" : ""}`,
    take: (world: World) =>
      change(world, { kind: "ResourceGrant", namespace: "milo-system", name: grantNames[type] }, body),
  };
}
