// One writer, and news that reach it late.
import type { WorldStep } from "../run-world.ts";
import { change, create, remove } from "./people.ts";
import { claim, grant, registration } from "./quota-objects.ts";
import { answersClaim, type Scenario, startReplica, startWriter, step } from "./scenario.ts";

const [cpu, disk] = ["compute.example.com/cpu", "compute.example.com/disk"];
const claimOf = (name: string, type: string) => claim(name, [{ resourceType: type, amount: 1 }]);

const granted = step(0, "cpu and disk are registered, and one of each is granted", (world) => {
  for (const type of [cpu, disk]) create(world, registration(type));
  create(world, grant("cpu", cpu, 1));
  create(world, grant("disk", disk, 1));
});

function beginning(): readonly WorldStep[] {
  return [granted, startWriter(100, "a")];
}

const staleClaims: Scenario = {
  name: "a page is counted by somebody who has not heard of the latest claims",
  lengthMs: 20_000,
  steps: ({ world }) => [
    ...beginning(),
    startWriter(1_500, "b"),
    step(3_000, "b hears nothing of claims", () =>
      world.weather.stall({ machine: "b", kind: "resourceclaims" }, 9_000),
    ),
    step(3_100, "somebody claims cpu", () => create(world, claimOf("m", cpu))),
    step(6_000, "somebody else claims cpu", () => create(world, claimOf("n", cpu))),
  ],
};

const staleGrants: Scenario = {
  name: "more is granted, and the writer has not heard of it",
  lengthMs: 12_000,
  steps: ({ world }) => [
    ...beginning(),
    step(2_000, "somebody claims cpu", () => create(world, claimOf("m", cpu))),
    step(3_000, "a hears nothing of grants", () =>
      world.weather.stall({ machine: "a", kind: "resourcegrants" }, 5_000),
    ),
    step(3_500, "another cpu is granted", () =>
      change(
        world,
        { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" },
        { spec: { allowances: [{ resourceType: cpu, buckets: [{ amount: 2 }] }] } },
      ),
    ),
    step(4_500, "somebody claims it", () => create(world, claimOf("n", cpu))),
  ],
};

const deletedMeanwhile: Scenario = {
  name: "a claim is deleted before the writer hears that it has granted it",
  lengthMs: 16_000,
  steps: ({ world, book }) => [
    ...beginning(),
    step(3_000, "what a asks about claims is answered late", () =>
      world.weather.add({ fate: "answered slowly", probability: 1, machine: "a", kind: "resourceclaims/" }, 200),
    ),
    step(3_020, "somebody claims cpu", () => create(world, claimOf("m", cpu))),
    step(3_110, "and thinks better of it", () =>
      remove(world, { kind: "ResourceClaim", namespace: "default", name: "m" }, (uid) => book.endedByHand(uid)),
    ),
  ],
};

const madeAgain: Scenario = {
  name: "a claim is made again under its name while the old one is answered",
  lengthMs: 14_000,
  steps: ({ world, book }) => {
    let open = (): void => undefined;
    return [
      ...beginning(),
      step(3_000, "what a answers is on its way for long", () => {
        const gate = world.network.gate("a", answersClaim("m"));
        open = () => gate.open();
      }),
      step(3_100, "somebody claims cpu", () => create(world, claimOf("m", cpu))),
      step(5_000, "deletes the claim", () =>
        remove(world, { kind: "ResourceClaim", namespace: "default", name: "m" }, (uid) => book.endedByHand(uid)),
      ),
      step(5_500, "and claims disk under the same name", () => create(world, claimOf("m", disk))),
      step(7_000, "the answer arrives", () => open()),
    ];
  },
};

const secondTerm: Scenario = {
  name: "a process leads a second time",
  lengthMs: 30_000,
  steps: ({ world }) => [
    granted,
    startReplica(100, "a"),
    step(6_000, "somebody claims cpu", () => create(world, claimOf("m", cpu))),
    step(8_000, "a hears nothing of its lease", () =>
      world.weather.add({ fate: "request lost", probability: 1, machine: "a", kind: "leases" }, 8_000),
    ),
    step(26_000, "somebody claims disk", () => create(world, claimOf("n", disk))),
  ],
};

export const lateNews: readonly Scenario[] = [staleClaims, staleGrants, deletedMeanwhile, madeAgain, secondTerm];
