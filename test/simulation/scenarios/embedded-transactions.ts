// Controllers and admission in the process of the API server: transactions that a full disk rolls back, and foreign edits of a bucket.
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { EmbeddedQuota } from "../actors/embedded-quota.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, createOnce, remove } from "./client-actions.ts";
import { claim, configMap, grant, labelPolicy, organization, registration } from "./quota-objects.ts";
import { expectStored, type Scenario, type ScenarioContext, step } from "./scenario.ts";

const sizes = "example.com/sizes";

/** Ten units are granted, and x takes one. */
function setupSteps({ world, history }: ScenarioContext): readonly WorldStep[] {
  new EmbeddedQuota(world, history, { storesImmediately: true });
  return [
    step(0, "operator grants ten units of what ConfigMaps claim", () => {
      create(world, registration(sizes));
      create(world, grant("sizes", sizes, 10));
      create(world, labelPolicy(sizes, "size"));
    }),
    creates(6_000, "x", world),
    expectStored(9_000, "x"),
  ];
}

const creates = (atMs: number, name: string, world: ScenarioContext["world"]): WorldStep =>
  step(atMs, `a client creates ${name}`, () => createOnce(world, configMap(name, 1)));

const setDisk = (atMs: number, state: "full" | "slow" | "good"): WorldStep =>
  step(atMs, `the disk is ${state}`, ({ disk }) => {
    disk.state = state;
  });

const createdAgain: Scenario = {
  name: "a full disk rolls a create back, and the object is created again",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (context) => [
    ...setupSteps(context),
    setDisk(10_000, "full"),
    creates(10_100, "y", context.world),
    setDisk(10_500, "good"),
    creates(10_600, "y", context.world),
    expectStored(15_000, "y"),
    creates(15_500, "z", context.world),
    expectStored(20_000, "z"),
  ],
};

const notRemoved: Scenario = {
  name: "a full disk rolls a delete back, and another object is created",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (context) => [
    ...setupSteps(context),
    step(10_000, "the disk is full, and the reserve as well", ({ disk }) => {
      disk.state = "full";
      disk.hasReserve = false;
    }),
    step(10_100, "a client deletes x", () =>
      remove(context.world, { kind: "ConfigMap", namespace: "default", name: "x" }),
    ),
    step(10_150, "the disk is good for the next write", ({ disk }) => {
      disk.state = "good";
    }),
    creates(10_160, "y", context.world),
    expectStored(15_000, "y"),
  ],
};

const touchedBucket: Scenario = {
  name: "an operator annotates a bucket, and an object is created in the same append",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (context) => {
    const { world } = context;
    const name = bucketName({ ...organization, namespace: "" }, sizes);
    return [
      ...setupSteps(context),
      setDisk(10_000, "slow"),
      step(10_100, "an unrelated write starts a slow append", () => create(world, registration("example.com/other"))),
      step(10_110, "an operator annotates the bucket", () =>
        change(
          world,
          { kind: "AllowanceBucket", namespace: "milo-system", name },
          { metadata: { annotations: { "example.com/note": "checked" } } },
        ),
      ),
      creates(10_110, "y", world),
      setDisk(12_000, "good"),
      expectStored(17_000, "y"),
    ];
  },
};

/**
 * The create waits in the queue of the store while the claim is being appended, so it is rendered before the bucket writer
 * observes the claim. Its own append is slow enough for the writer to observe the claim meanwhile, and is then rolled back.
 */
const claimedMeanwhile: Scenario = {
  name: "a full disk rolls a create back while a claim waits for what it would have taken",
  isEmbedded: true,
  lengthMs: 60_000,
  steps: (context) => {
    const { world } = context;
    return [
      ...setupSteps(context),
      setDisk(10_000, "slow"),
      step(10_100, "a service claims one", () => create(world, claim("m", [{ resourceType: sizes, amount: 1 }]))),
      step(10_120, "a client creates y, which takes all that is left", () => createOnce(world, configMap("y", 9))),
      step(10_140, "the disk is full for the next append only", ({ disk }) => {
        disk.isFullNext = true;
      }),
      setDisk(15_000, "good"),
    ];
  },
};

export const embeddedTransactions: readonly Scenario[] = [createdAgain, notRemoved, touchedBucket, claimedMeanwhile];
