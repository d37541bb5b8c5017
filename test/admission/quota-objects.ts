import {
  bucketsType,
  claimPoliciesType,
  claimsType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { expect } from "vitest";
import { eventually, type Json, signal, type TestWorld } from "./test-world.ts";

const head = { apiVersion: "quota.miloapis.com/v1alpha1" };

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

export const configMapKind: Kind = { apiVersion: "v1", kind: "ConfigMap" };
export const shipKind: Kind = { apiVersion: "fleet.example/v1", kind: "Ship" };

export function registration(resourceType: string, claimants: readonly Kind[], spec: Json = {}): Json {
  return {
    ...head,
    kind: "ResourceRegistration",
    metadata: { name: resourceType.replaceAll("/", "-") },
    spec: {
      resourceType,
      type: "Entity",
      baseUnit: resourceType.replace(/^.*\//, "").replace(/s$/, ""),
      consumerType: { apiGroup: "", kind: "Namespace" },
      claimingResources: claimants.map(({ apiVersion, kind }) => ({ apiGroup: groupIn(apiVersion), kind })),
      ...spec,
    },
  };
}

export function grant(name: string, resourceType: string, amount: number, spec: Json = {}): Json {
  return {
    ...head,
    kind: "ResourceGrant",
    metadata: { name, namespace: "default" },
    spec: {
      consumerRef: { kind: "Namespace", name: "default" },
      allowances: [{ resourceType, buckets: [{ amount }] }],
      ...spec,
    },
  };
}

export interface PolicyParts {
  readonly constraints?: readonly Json[];
  readonly requests?: readonly Json[];
  readonly metadata?: Json;
  readonly spec?: Json;
}

/** A policy that claims one unit for each object of a kind by default. */
export function policy(name: string, kind: Kind, resourceType: string, parts: PolicyParts = {}): Json {
  const { constraints, requests = [{ resourceType, amount: 1 }], metadata, spec = {} } = parts;
  return {
    ...head,
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      trigger: { resource: kind, ...(constraints === undefined ? {} : { constraints }) },
      target: {
        resourceClaimTemplate: {
          ...(metadata === undefined ? {} : { metadata }),
          spec: { consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" }, requests },
        },
      },
      ...spec,
    },
  };
}

export const configMap = (name: string, more: Json = {}, metadata: Json = {}): Json => ({
  ...configMapKind,
  metadata: { name, namespace: "default", ...metadata },
  ...more,
});

export const ship = (name: string, spec: Json, metadata: Json = {}): Json => ({
  ...shipKind,
  metadata: { name, namespace: "default", ...metadata },
  spec,
});

export const claimsIn = async (world: TestWorld) => (await world.resource(claimsType).list({}, signal)).items;

/** Registers a type and grants an amount of it to the namespace "default". */
export async function registerAndGrant(world: TestWorld, type: string, kind: Kind, amount: number): Promise<void> {
  await world.create(registrationsType, registration(type, [kind]));
  if (amount > 0) await world.create(grantsType, grant(type.replaceAll("/", "-"), type, amount));
  await eventually(async () => {
    const shown = await world.resource(registrationsType).get({ name: type.replaceAll("/", "-") }, signal);
    expect(JSON.stringify(shown)).toContain("RegistrationActive");
    if (amount > 0) expect(await limitOf(world, type)).toBe(amount);
  });
}

/** Creates a policy and waits until it is ready. */
export async function createPolicy(world: TestWorld, object: Json): Promise<void> {
  await world.create(claimPoliciesType, object);
  await waitForPolicy(world, (object["metadata"] as Json)["name"] as string);
}

export async function waitForPolicy(world: TestWorld, name: string, reason = "PolicyReady"): Promise<void> {
  await eventually(async () => {
    const found = (await world.resource(claimPoliciesType).get({ name }, signal)) as Json;
    const { generation } = found["metadata"] as { generation: number };
    const { conditions } = found["status"] as { conditions?: unknown };
    const ready = { type: "Ready", reason, observedGeneration: generation };
    expect(conditions).toContainEqual(expect.objectContaining(ready));
  });
}

type Bucket = {
  readonly spec: { readonly resourceType: string; readonly dimensions?: unknown };
  readonly status: Json;
};

export async function bucketOf(world: TestWorld, resourceType: string): Promise<Bucket | undefined> {
  const { items } = await world.resource(bucketsType).list({}, signal);
  return (items as unknown as Bucket[]).find(
    ({ spec }) => spec.resourceType === resourceType && spec.dimensions === undefined,
  );
}

export async function limitOf(world: TestWorld, resourceType: string): Promise<unknown> {
  return (await bucketOf(world, resourceType))?.status["limit"];
}

/** Waits until a bucket has this usage and no reservations. */
export async function expectUsage(world: TestWorld, resourceType: string, amount: number): Promise<void> {
  await eventually(async () => {
    const { status } = (await bucketOf(world, resourceType)) as Bucket;
    expect([status["allocated"] ?? 0, status["reserved"] ?? 0]).toEqual([amount, 0]);
  });
}

function groupIn(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
}
