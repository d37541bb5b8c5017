// One bucket writer with a stale cache or late responses.
import type { WorldStep } from "../run-world.ts";
import { change, create, remove } from "./client-actions.ts";
import { claim, grant, registration } from "./quota-objects.ts";
import { type Scenario, startReplica, startWriter, step, writesClaimStatus } from "./scenario.ts";

const [cpu, disk] = ["compute.example.com/cpu", "compute.example.com/disk"];
const claimOf = (name: string, type: string) => claim(name, [{ resourceType: type, amount: 1 }]);

const setup = step(0, "operator registers cpu and disk and grants one of each", (world) => {
  for (const type of [cpu, disk]) create(world, registration(type));
  create(world, grant("cpu", cpu, 1));
  create(world, grant("disk", disk, 1));
});

function setupSteps(): readonly WorldStep[] {
  return [setup, startWriter(100, "a")];
}

const staleClaims: Scenario = {
  name: "a writer with a stale claim cache recounts a bucket",
  lengthMs: 20_000,
  steps: ({ world }) => [
    ...setupSteps(),
    startWriter(1_500, "b"),
    step(3_000, "claim events for b stall", () =>
      world.conditions.stall({ machine: "b", kind: "resourceclaims" }, 9_000),
    ),
    step(3_100, "a service claims cpu", () => create(world, claimOf("m", cpu))),
    step(6_000, "another service claims cpu", () => create(world, claimOf("n", cpu))),
  ],
};

const staleGrants: Scenario = {
  name: "a writer with a stale grant cache decides a claim after the limit was raised",
  lengthMs: 12_000,
  steps: ({ world }) => [
    ...setupSteps(),
    step(2_000, "a service claims cpu", () => create(world, claimOf("m", cpu))),
    step(3_000, "grant events for a stall", () =>
      world.conditions.stall({ machine: "a", kind: "resourcegrants" }, 5_000),
    ),
    step(3_500, "operator grants another cpu", () =>
      change(
        world,
        { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" },
        { spec: { allowances: [{ resourceType: cpu, buckets: [{ amount: 2 }] }] } },
      ),
    ),
    step(4_500, "a service claims it", () => create(world, claimOf("n", cpu))),
  ],
};

const deletedMeanwhile: Scenario = {
  name: "a claim is deleted before the writer gets the response to granting it",
  lengthMs: 16_000,
  steps: ({ world, history }) => [
    ...setupSteps(),
    step(3_000, "responses to a about claims are slow", () =>
      world.conditions.add({ fate: "answered slowly", probability: 1, machine: "a", kind: "resourceclaims/" }, 200),
    ),
    step(3_020, "a service claims cpu", () => create(world, claimOf("m", cpu))),
    step(3_110, "the service deletes the claim", () =>
      remove(world, { kind: "ResourceClaim", namespace: "default", name: "m" }, (uid) =>
        history.claimDeletedByActor(uid),
      ),
    ),
  ],
};

const createdAgain: Scenario = {
  name: "a claim is created again under its name while the old one is being decided",
  lengthMs: 14_000,
  steps: ({ world, history }) => {
    let open = (): void => undefined;
    return [
      ...setupSteps(),
      step(3_000, "the status writes of a are delayed", () => {
        const gate = world.network.gate("a", writesClaimStatus("m"));
        open = () => gate.open();
      }),
      step(3_100, "a service claims cpu", () => create(world, claimOf("m", cpu))),
      step(5_000, "the service deletes the claim", () =>
        remove(world, { kind: "ResourceClaim", namespace: "default", name: "m" }, (uid) =>
          history.claimDeletedByActor(uid),
        ),
      ),
      step(5_500, "the service claims disk under the same name", () => create(world, claimOf("m", disk))),
      step(7_000, "the status write arrives", () => open()),
    ];
  },
};

const secondTerm: Scenario = {
  name: "a process becomes leader a second time",
  lengthMs: 30_000,
  steps: ({ world }) => [
    setup,
    startReplica(100, "a"),
    step(6_000, "a service claims cpu", () => create(world, claimOf("m", cpu))),
    step(8_000, "the lease requests of a are lost", () =>
      world.conditions.add({ fate: "request lost", probability: 1, machine: "a", kind: "leases" }, 8_000),
    ),
    step(26_000, "a service claims disk", () => create(world, claimOf("n", disk))),
  ],
};

export const staleCaches: readonly Scenario[] = [staleClaims, staleGrants, deletedMeanwhile, createdAgain, secondTerm];
