// Controllers and admission in the process of the server: transactions that a full disk takes back, and foreign hands on a bucket.
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { InnerDoor } from "../actors/inner-door.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, post, remove } from "./people.ts";
import { claim, configMap, grant, labelPolicy, organization, registration } from "./quota-objects.ts";
import { isStored, type Scenario, type Stage, step } from "./scenario.ts";

const sizes = "example.com/sizes";

/** Ten are granted, and x takes one. */
function beginning({ world, book }: Stage): readonly WorldStep[] {
  new InnerDoor(world, book, { isPrompt: true });
  return [
    step(0, "ten of what ConfigMaps take are granted", () => {
      create(world, registration(sizes));
      create(world, grant("sizes", sizes, 10));
      create(world, labelPolicy(sizes, "size"));
    }),
    creates(6_000, "x", world),
    isStored(9_000, "x"),
  ];
}

const creates = (atMs: number, name: string, world: Stage["world"]): WorldStep =>
  step(atMs, `somebody creates ${name}`, () => post(world, configMap(name, 1)));

const diskIs = (atMs: number, state: "full" | "slow" | "good"): WorldStep =>
  step(atMs, `the disk is ${state}`, ({ disk }) => {
    disk.state = state;
  });

const createdAgain: Scenario = {
  name: "a full disk takes a create back, and the object is created again",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (stage) => [
    ...beginning(stage),
    diskIs(10_000, "full"),
    creates(10_100, "y", stage.world),
    diskIs(10_500, "good"),
    creates(10_600, "y", stage.world),
    isStored(15_000, "y"),
    creates(15_500, "z", stage.world),
    isStored(20_000, "z"),
  ],
};

const notRemoved: Scenario = {
  name: "a full disk takes a removal back, and another object is created",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (stage) => [
    ...beginning(stage),
    diskIs(10_000, "full"),
    step(10_100, "somebody deletes x", () =>
      remove(stage.world, { kind: "ConfigMap", namespace: "default", name: "x" }),
    ),
    step(10_150, "the disk is good for the next write", ({ disk }) => {
      disk.state = "good";
    }),
    creates(10_160, "y", stage.world),
    isStored(15_000, "y"),
  ],
};

const touchedBucket: Scenario = {
  name: "somebody notes something on a bucket, and an object is created in the same append",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (stage) => {
    const { world } = stage;
    const name = bucketName({ ...organization, namespace: "" }, sizes);
    return [
      ...beginning(stage),
      diskIs(10_000, "slow"),
      step(10_100, "something is written that takes its time", () => create(world, registration("example.com/other"))),
      step(10_110, "somebody notes something on the bucket", () =>
        change(
          world,
          { kind: "AllowanceBucket", namespace: "milo-system", name },
          { metadata: { annotations: { "example.com/note": "looked at" } } },
        ),
      ),
      creates(10_110, "y", world),
      diskIs(12_000, "good"),
      isStored(17_000, "y"),
    ];
  },
};

/**
 * The create waits in the queue of the store while the claim is being appended, so it is rendered before the bucket writer
 * hears of the claim. Its own append is slow enough for the writer to hear of the claim meanwhile, and is then rolled back.
 */
const claimedMeanwhile: Scenario = {
  name: "a full disk rolls a create back while a claim waits for what it would have taken",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (stage) => {
    const { world } = stage;
    return [
      ...beginning(stage),
      diskIs(10_000, "slow"),
      step(10_100, "a service claims one", () => create(world, claim("m", [{ resourceType: sizes, amount: 1 }]))),
      step(10_120, "a client creates y, which takes all that is left", () => post(world, configMap("y", 9))),
      step(10_140, "the disk is full for the next append only", ({ disk }) => {
        disk.isFullNext = true;
      }),
      diskIs(15_000, "good"),
    ];
  },
};

export const inOneProcess: readonly Scenario[] = [createdAgain, notRemoved, touchedBucket, claimedMeanwhile];
