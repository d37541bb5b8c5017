import type { ConsumerRef } from "@milo-quota/quota/core/resources/fields/consumer-ref.ts";
import type { Json } from "./test-system.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const apiGroup = "resourcemanager.miloapis.com";

export const organization: ConsumerRef = { apiGroup, kind: "Organization", namespace: "", name: "acme" };
export const project = (name: string): ConsumerRef => ({ apiGroup, kind: "Project", namespace: "", name });

export const projectsType = "resourcemanager.miloapis.com/projects";
export const cpu = "compute.datumapis.com/instances/cpu";
export const memory = "compute.datumapis.com/instances/memory";
export const location = "networking.datumapis.com/location";

/** A registration named after its resource type. */
export function registration(resourceType: string, spec: Json = {}): Json {
  return {
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name: registrationName(resourceType) },
    spec: { resourceType, type: "Entity", baseUnit: "unit", consumerType: typeOf(organization), ...spec },
  };
}

function registrationName(resourceType: string): string {
  return resourceType.replaceAll(/[^a-z0-9.-]/g, "-");
}

export interface Pool {
  readonly amount: number;
  readonly dimensionSelector?: Json;
}

/** A grant with an amount for all dimensions, or pools, for each resource type. */
export function grant(name: string, consumer: ConsumerRef, given: Record<string, number | readonly Pool[]>): Json {
  const allowances = Object.entries(given).map(([resourceType, pools]) => ({
    resourceType,
    buckets: typeof pools === "number" ? [{ amount: pools }] : pools,
  }));
  return {
    apiVersion,
    kind: "ResourceGrant",
    metadata: { name, namespace: "default" },
    spec: { consumerRef: refOf(consumer), allowances },
  };
}

export interface RequestInput {
  readonly resourceType: string;
  readonly amount: number;
  readonly dimensions?: Record<string, string>;
}

export function claim(name: string, consumer: ConsumerRef, requests: readonly RequestInput[], spec: Json = {}): Json {
  return {
    apiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: { consumerRef: refOf(consumer), requests: [...requests], ...spec },
  };
}

export interface GrantPolicyParts {
  readonly trigger?: Json;
  /** Control plane of the grant; by default that of the trigger object. */
  readonly parentContext?: Json;
  readonly template?: Json;
  readonly spec?: Json;
}

const resourcemanager = `${apiGroup}/v1alpha1`;

/** By default, a policy that grants every premium project ten cores in its control plane. */
export function grantPolicy(name: string, parts: GrantPolicyParts = {}): Json {
  const { trigger, parentContext, template, spec } = parts;
  const ofProject = { apiGroup, kind: "Project", nameExpression: "trigger.metadata.name" };
  return {
    apiVersion,
    kind: "GrantCreationPolicy",
    metadata: { name },
    spec: {
      trigger: {
        resource: { apiVersion: resourcemanager, kind: "Project" },
        constraints: [{ expression: 'trigger.spec.tier == "premium"' }],
        ...trigger,
      },
      target: {
        parentContext: parentContext ?? ofProject,
        resourceGrantTemplate: {
          metadata: { namespace: "default" },
          spec: {
            consumerRef: { apiGroup, kind: "Project", name: "{{ trigger.metadata.name }}" },
            allowances: [{ resourceType: cpu, buckets: [{ amount: 10_000 }] }],
          },
          ...template,
        },
      },
      ...spec,
    },
  };
}

/** A Project or an Organization. */
export function tenant(kind: "Project" | "Organization", name: string, spec: Json = {}): Json {
  return { apiVersion: resourcemanager, kind, metadata: { name }, spec };
}

export function typeOf({ apiGroup: group, kind }: ConsumerRef): Json {
  return { apiGroup: group, kind };
}

function refOf({ apiGroup: group, kind, name }: ConsumerRef): Json {
  return { apiGroup: group, kind, name };
}
