import type { ObjectChange } from "@milo-quota/quota/admission/object-change.ts";
import { reviewResponse } from "@milo-quota/quota/admission/webhook/review-response.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { shipsDefinition, shipsType } from "./object-types.ts";
import { ship } from "./quota-objects.ts";
import { signal } from "./test-world.ts";

let world: AdmissionWorld;

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await world.define(shipsDefinition, shipsType);
  await world.create(shipsType, ship("a", { size: 4, replicas: 1 }));
});

afterEach(() => world.stop());

/** The review that kube-apiserver sends for a scale update: it contains the Scale, not the object. */
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

async function requested(name: string) {
  const changes: ObjectChange[] = [];
  const decide = async (change: ObjectChange) => {
    changes.push(change);
    return { allowed: true } as const;
  };
  const clientOf = (plane: string) => world.planes.client(plane);
  const origin = { plane: "root", waitMsMax: 1_000 };
  const answer = await reviewResponse(
    review(name),
    origin,
    { decide, decideRemoval: async () => ({ allowed: true }), clientOf },
    signal,
  );
  return { answer, changes };
}

it("a scale update is evaluated as a change of the object", async () => {
  const { changes } = await requested("a");
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

it("a scale update of a missing object is left to the server", async () => {
  const { answer, changes } = await requested("missing");
  expect(answer).toMatchObject({ response: { uid: "1", allowed: true } });
  expect(changes).toEqual([]);
});
