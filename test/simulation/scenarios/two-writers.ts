// Two writers at once, a and b: what one has sent arrives when the other has moved on.
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, remove } from "./people.ts";
import { claim, grant, grantWhere, organization, registration } from "./quota-objects.ts";
import { answersClaim, deletesPage, type Scenario, type Stage, startWriter, step, writesPage } from "./scenario.ts";

const [cpu, disk, gpu] = ["compute.example.com/cpu", "compute.example.com/disk", "compute.example.com/gpu"];
const one = (...types: readonly string[]) => types.map((resourceType) => ({ resourceType, amount: 1 }));
const locatedAt = (location: string, amount: number) => [{ resourceType: cpu, amount, dimensions: { location } }];

/** One of each, and writer a at work. */
function beginning(): readonly WorldStep[] {
  return [
    step(0, "cpu and disk are registered, and one of each is granted", (world) => {
      for (const type of [cpu, disk]) create(world, registration(type));
      create(world, grant("cpu", cpu, 1));
      create(world, grant("disk", disk, 1));
    }),
    startWriter(100, "a"),
  ];
}

/** The claim that a is at goes onto one of its pages; the write of the other page is on its way until it is let through. */
function halfPromised({ world }: Stage): {
  readonly steps: readonly WorldStep[];
  readonly letThrough: WorldStep["take"];
} {
  let open = (): void => undefined;
  const steps = [
    step(3_000, "what a writes to the page of disk is on its way for long", () => {
      const gate = world.network.gate("a", writesPage("disk"));
      open = () => gate.open();
    }),
    step(3_100, "somebody claims cpu and disk", () => create(world, claim("m", one(cpu, disk)))),
  ];
  return { steps, letThrough: () => open() };
}

const droppedPromise: Scenario = {
  name: "a half promise is given up while its other half is on its way",
  lengthMs: 12_000,
  steps: (stage) => {
    const { world } = stage;
    const half = halfPromised(stage);
    return [
      ...beginning(),
      step(2_000, "somebody claims cpu and gpu, which nobody knows", () => create(world, claim("e", one(cpu, gpu)))),
      ...half.steps,
      step(4_000, "gpu is registered and granted", () => {
        create(world, registration(gpu));
        create(world, grant("gpu", gpu, 1));
      }),
      startWriter(5_000, "b"),
      step(5_000, "the answer of b to the claim for cpu and disk is on its way for long", () => {
        const gate = world.network.gate("b", answersClaim("m"));
        world.later(4_000, () => gate.open());
      }),
      step(7_000, "the write of a arrives", half.letThrough),
    ];
  },
};

const mixedPromises: Scenario = {
  name: "two writers promise one page each",
  lengthMs: 12_000,
  steps: ({ world }) => {
    const gates = { a: (): void => undefined, b: (): void => undefined };
    return [
      ...beginning(),
      startWriter(1_500, "b"),
      step(3_000, "what a writes to disk, and b to cpu, is on its way for long", () => {
        const [a, b] = [world.network.gate("a", writesPage("disk")), world.network.gate("b", writesPage("cpu"))];
        gates.a = () => a.open();
        gates.b = () => b.open();
      }),
      step(3_100, "somebody claims cpu and disk", () => create(world, claim("m", one(cpu, disk)))),
      step(5_000, "what b wrote arrives", () => gates.b()),
      step(7_000, "what a wrote arrives", () => gates.a()),
    ];
  },
};

const changedPage: Scenario = {
  name: "somebody changes one page of two while both are written",
  lengthMs: 12_000,
  steps: (stage) => {
    const { world } = stage;
    const half = halfPromised(stage);
    const name = bucketName({ ...organization, namespace: "" }, disk);
    return [
      ...beginning(),
      ...half.steps,
      step(5_000, "somebody notes something on the page of disk", () =>
        change(
          world,
          { kind: "AllowanceBucket", namespace: "milo-system", name },
          { metadata: { annotations: { noted: "something" } } },
        ),
      ),
      step(7_000, "the write of a arrives", half.letThrough),
    ];
  },
};

const lateRemoval: Scenario = {
  name: "a page is needed again while its removal is on its way",
  lengthMs: 12_000,
  steps: ({ world }) => {
    let open = (): void => undefined;
    return [
      ...beginning(),
      step(3_000, "what a removes is removed much later", () => {
        const gate = world.network.gate("a", deletesPage("cpu"));
        open = () => gate.open();
      }),
      step(3_100, "nobody has cpu any more", () =>
        remove(world, { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" }),
      ),
      step(5_000, "cpu is granted again", () => create(world, grant("cpu-again", cpu, 1))),
      step(5_000, "and claimed", () => create(world, claim("m", one(cpu)))),
      startWriter(5_500, "b"),
      step(5_500, "what b answers is on its way for long", () => {
        const gate = world.network.gate("b", answersClaim("m"));
        world.later(3_500, () => gate.open());
      }),
      step(8_000, "the removal arrives, and the answer after it", () => open()),
    ];
  },
};

const dimensionsApart: Scenario = {
  name: "two writers promise the same pool for different dimensions",
  lengthMs: 14_000,
  steps: ({ world }) => {
    const gates = { a: (): void => undefined, b: (): void => undefined };
    return [
      step(0, "two of cpu are granted, wherever they are", () => {
        create(world, registration(cpu, ["location"]));
        create(world, grantWhere("cpu", cpu, 2));
      }),
      startWriter(100, "a"),
      step(3_000, "what a writes is on its way for long", () => {
        const gate = world.network.gate("a", writesPage("cpu"));
        gates.a = () => gate.open();
      }),
      step(3_100, "somebody claims two of them in one place", () => create(world, claim("m", locatedAt("dls", 2)))),
      step(5_000, "only one is granted", () =>
        change(
          world,
          { kind: "ResourceGrant", namespace: "milo-system", name: "cpu" },
          { spec: { allowances: [{ resourceType: cpu, buckets: [{ amount: 1 }] }] } },
        ),
      ),
      step(5_500, "somebody claims it in another place", () => create(world, claim("n", locatedAt("fra", 1)))),
      startWriter(6_000, "b"),
      step(6_000, "the answer of b to the first claim is on its way for long", () => {
        const gate = world.network.gate("b", answersClaim("m"));
        gates.b = () => gate.open();
      }),
      step(9_000, "the write of a arrives", () => gates.a()),
      step(11_000, "the answer of b arrives", () => gates.b()),
    ];
  },
};

export const twoWriters: readonly Scenario[] = [
  droppedPromise,
  mixedPromises,
  changedPage,
  lateRemoval,
  dimensionsApart,
];
