// Two concurrent writers, a and b: a delayed write of one arrives when the other has already moved on.
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, remove } from "./client-actions.ts";
import { claim, grant, grantWhere, organization, registration } from "./quota-objects.ts";
import {
  deletesBucket,
  type Scenario,
  type ScenarioContext,
  startWriter,
  step,
  writesBucket,
  writesClaimStatus,
} from "./scenario.ts";

const [cpu, disk, gpu] = ["compute.example.com/cpu", "compute.example.com/disk", "compute.example.com/gpu"];
const one = (...types: readonly string[]) => types.map((resourceType) => ({ resourceType, amount: 1 }));
const locatedAt = (location: string, amount: number) => [{ resourceType: cpu, amount, dimensions: { location } }];

/** One unit of each type, and writer a is running. */
function setupSteps(): readonly WorldStep[] {
  return [
    step(0, "operator registers cpu and disk and grants one of each", (world) => {
      for (const type of [cpu, disk]) create(world, registration(type));
      create(world, grant("cpu", cpu, 1));
      create(world, grant("disk", disk, 1));
    }),
    startWriter(100, "a"),
  ];
}

/** Writer a reserves a claim in one of its two buckets; the write to the other bucket is delayed until it is released. */
function halfReserved({ world }: ScenarioContext): {
  readonly steps: readonly WorldStep[];
  readonly release: WorldStep["take"];
} {
  let open = (): void => undefined;
  const steps = [
    step(3_000, "writes of a to the disk bucket are delayed", () => {
      const gate = world.network.gate("a", writesBucket("disk"));
      open = () => gate.open();
    }),
    step(3_100, "a service claims cpu and disk", () => create(world, claim("m", one(cpu, disk)))),
  ];
  return { steps, release: () => open() };
}

const droppedReservation: Scenario = {
  name: "an incomplete reservation is dropped while the write of its other half is in flight",
  lengthMs: 12_000,
  steps: (context) => {
    const { world } = context;
    const half = halfReserved(context);
    return [
      ...setupSteps(),
      step(2_000, "a service claims cpu and gpu, which is not registered", () =>
        create(world, claim("e", one(cpu, gpu))),
      ),
      ...half.steps,
      step(4_000, "operator registers and grants gpu", () => {
        create(world, registration(gpu));
        create(world, grant("gpu", gpu, 1));
      }),
      startWriter(5_000, "b"),
      step(5_000, "status writes of b to the claim for cpu and disk are delayed", () => {
        const gate = world.network.gate("b", writesClaimStatus("m"));
        world.later(4_000, () => gate.open());
      }),
      step(7_000, "the write of a arrives", half.release),
    ];
  },
};

const mixedReservations: Scenario = {
  name: "two writers reserve one bucket each",
  lengthMs: 12_000,
  steps: ({ world }) => {
    const gates = { a: (): void => undefined, b: (): void => undefined };
    return [
      ...setupSteps(),
      startWriter(1_500, "b"),
      step(3_000, "writes of a to disk and of b to cpu are delayed", () => {
        const [a, b] = [world.network.gate("a", writesBucket("disk")), world.network.gate("b", writesBucket("cpu"))];
        gates.a = () => a.open();
        gates.b = () => b.open();
      }),
      step(3_100, "a service claims cpu and disk", () => create(world, claim("m", one(cpu, disk)))),
      step(5_000, "the write of b arrives", () => gates.b()),
      step(7_000, "the write of a arrives", () => gates.a()),
    ];
  },
};

const annotatedBucket: Scenario = {
  name: "an operator annotates one of two buckets while a writer updates both",
  lengthMs: 12_000,
  steps: (context) => {
    const { world } = context;
    const half = halfReserved(context);
    const name = bucketName({ ...organization, namespace: "" }, disk);
    return [
      ...setupSteps(),
      ...half.steps,
      step(5_000, "an operator annotates the disk bucket", () =>
        change(
          world,
          { kind: "AllowanceBucket", namespace: "milo-system", name },
          { metadata: { annotations: { noted: "something" } } },
        ),
      ),
      step(7_000, "the write of a arrives", half.release),
    ];
  },
};

const lateDelete: Scenario = {
  name: "a bucket is needed again while its delete is in flight",
  lengthMs: 12_000,
  steps: ({ world }) => {
    let open = (): void => undefined;
    return [
      ...setupSteps(),
      step(3_000, "bucket deletes of a are delayed", () => {
        const gate = world.network.gate("a", deletesBucket("cpu"));
        open = () => gate.open();
      }),
      step(3_100, "operator deletes the cpu grant", () =>
        remove(world, { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" }),
      ),
      step(5_000, "operator grants cpu again", () => create(world, grant("cpu-again", cpu, 1))),
      step(5_000, "a service claims cpu", () => create(world, claim("m", one(cpu)))),
      startWriter(5_500, "b"),
      step(5_500, "status writes of b are delayed", () => {
        const gate = world.network.gate("b", writesClaimStatus("m"));
        world.later(3_500, () => gate.open());
      }),
      step(8_000, "the delete arrives, and the status write after it", () => open()),
    ];
  },
};

const dimensionsApart: Scenario = {
  name: "two writers reserve the same pool for different dimensions",
  lengthMs: 14_000,
  steps: ({ world }) => {
    const gates = { a: (): void => undefined, b: (): void => undefined };
    return [
      step(0, "operator grants two cpu for all locations", () => {
        create(world, registration(cpu, ["location"]));
        create(world, grantWhere("cpu", cpu, 2));
      }),
      startWriter(100, "a"),
      step(3_000, "bucket writes of a are delayed", () => {
        const gate = world.network.gate("a", writesBucket("cpu"));
        gates.a = () => gate.open();
      }),
      step(3_100, "a service claims both in one location", () => create(world, claim("m", locatedAt("dls", 2)))),
      step(5_000, "operator lowers the grant to one", () =>
        change(
          world,
          { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" },
          { spec: { allowances: [{ resourceType: cpu, buckets: [{ amount: 1 }] }] } },
        ),
      ),
      step(5_500, "a service claims one in another location", () => create(world, claim("n", locatedAt("fra", 1)))),
      startWriter(6_000, "b"),
      step(6_000, "status writes of b to the first claim are delayed", () => {
        const gate = world.network.gate("b", writesClaimStatus("m"));
        gates.b = () => gate.open();
      }),
      step(9_000, "the write of a arrives", () => gates.a()),
      step(11_000, "the status write of b arrives", () => gates.b()),
    ];
  },
};

export const twoWriters: readonly Scenario[] = [
  droppedReservation,
  mixedReservations,
  annotatedBucket,
  lateDelete,
  dimensionsApart,
];
