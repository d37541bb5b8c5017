import type { ObjectChange } from "@milo-quota/quota/admission/object-change.ts";
import { answerReview } from "@milo-quota/quota/admission/webhook/review-answer.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { shipsDefinition, shipsType } from "./object-types.ts";
import { ship } from "./quota-objects.ts";
import { signal } from "./served-world.ts";

let world: AdmissionWorld;

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await world.define(shipsDefinition, shipsType);
  await world.create(shipsType, ship("a", { size: 4, replicas: 1 }));
});

afterEach(() => world.stop());

/** What a kube-apiserver sends when somebody scales: the Scale, and nothing of the object. */
const review = (name: string) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "1",
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    resource: { group: "fleet.example", version: "v1", resource: "ships" },
    subResource: "scale",
    name,
    namespace: "default",
    operation: "UPDATE",
    userInfo: { username: "ada" },
    object: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: 5 } },
    oldObject: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: 1 } },
  },
});

async function asked(name: string) {
  const changes: ObjectChange[] = [];
  const decide = async (change: ObjectChange) => {
    changes.push(change);
    return { allowed: true } as const;
  };
  const clientOf = (plane: string) => world.planes.client(plane);
  const origin = { plane: "root", waitMsMax: 1_000 };
  const answer = await answerReview(
    review(name),
    origin,
    { decide, decideRemoval: async () => ({ allowed: true }), clientOf },
    signal,
  );
  return { answer, changes };
}

it("scaling is seen as what it makes of the object itself", async () => {
  const { changes } = await asked("a");
  expect(changes).toMatchObject([
    {
      operation: "UPDATE",
      kind: { kind: "Ship", plural: "ships" },
      name: "a",
      object: { kind: "Ship", metadata: { name: "a" }, spec: { size: 4, replicas: 5 } },
      oldObject: { kind: "Ship", metadata: { name: "a" }, spec: { size: 4, replicas: 1 } },
    },
  ]);
});

it("scaling what is not there is left to the server to refuse", async () => {
  const { answer, changes } = await asked("nobody");
  expect(answer).toMatchObject({ response: { uid: "1", allowed: true } });
  expect(changes).toEqual([]);
});
