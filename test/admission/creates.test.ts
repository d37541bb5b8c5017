import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimPoliciesType, claimsType, grantsType, registrationsType } from "../../src/controllers/quota-types.ts";
import { AdmissionWorld, configMapsType, eventually } from "./admission-world.ts";

let world: AdmissionWorld;
const { signal } = new AbortController();
const head = { apiVersion: "quota.miloapis.com/v1alpha1" };

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await world.create(registrationsType, {
    ...head,
    kind: "ResourceRegistration",
    metadata: { name: "configmaps" },
    spec: {
      resourceType: "core/configmaps",
      type: "Entity",
      baseUnit: "config map",
      consumerType: { apiGroup: "", kind: "Namespace" },
      claimingResources: [{ kind: "ConfigMap" }],
    },
  });
  await world.create(grantsType, {
    ...head,
    kind: "ResourceGrant",
    metadata: { name: "three", namespace: "default" },
    spec: {
      consumerRef: { kind: "Namespace", name: "default" },
      allowances: [{ resourceType: "core/configmaps", buckets: [{ amount: 3 }] }],
    },
  });
  await world.create(claimPoliciesType, {
    ...head,
    kind: "ClaimCreationPolicy",
    metadata: { name: "configmaps" },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
      target: {
        resourceClaimTemplate: {
          spec: {
            consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" },
            requests: [{ resourceType: "core/configmaps", amount: 1 }],
          },
        },
      },
    },
  });
  await eventually(async () => {
    const { items } = await world.resource(claimPoliciesType).list({}, signal);
    expect(JSON.stringify(items)).toContain("PolicyReady");
  });
});

afterEach(() => world.stop());

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});

const claims = async () => (await world.resource(claimsType).list({}, signal)).items;

describe("an object", () => {
  it("is let in while quota is there, and refused with the numbers when it is used up", async () => {
    for (const name of ["a", "b", "c"]) {
      expect(await world.tryCreate(configMapsType, configMap(name))).toEqual({ code: 201, message: "" });
    }
    expect(await world.tryCreate(configMapsType, configMap("d"))).toEqual({
      code: 403,
      message:
        'Insufficient quota resources available: core/configmaps for Namespace "default": requested 1 config map, ' +
        "limit 3, allocated 3, reserved 0, available 0. Delete what is not needed any more, or ask your platform team " +
        "for a larger quota.",
    });
    await world.resource(configMapsType).delete({ namespace: "default", name: "a" }, {}, signal);
    await eventually(async () =>
      expect(await world.tryCreate(configMapsType, configMap("d"))).toEqual({ code: 201, message: "" }),
    );
    await eventually(async () => expect(await claims()).toHaveLength(3));
    expect(world.reported).toEqual([]);
  });

  it("takes one unit however often it is posted", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => world.tryCreate(configMapsType, configMap("same"))),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    await eventually(async () => expect(await claims()).toHaveLength(1));
  });
});
