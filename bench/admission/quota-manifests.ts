import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { quotaApiVersion } from "@milo-quota/quota/core/resources/well-known.ts";

export type Manifest = KubernetesObject & Readonly<Record<string, unknown>>;

const resourceType = "core/configmaps";
/** More than any benchmark claims. */
const unlimited = 1_000_000_000;
const text = "x".repeat(900);
const longAgo = "2026-01-01T00:00:00Z";

/** Consumers are namespaces. */
export function namespaceOf(consumer: number): string {
  return consumer === 0 ? "default" : `consumer-${consumer}`;
}

export function namespaceManifest(consumer: number): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespaceOf(consumer) } };
}

export const registration: Manifest = {
  apiVersion: quotaApiVersion,
  kind: "ResourceRegistration",
  metadata: { name: "configmaps" },
  spec: {
    resourceType,
    type: "Entity",
    baseUnit: "config map",
    consumerType: { apiGroup: "", kind: "Namespace" },
    claimingResources: [{ kind: "ConfigMap" }],
  },
};

export const policy: Manifest = {
  apiVersion: quotaApiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name: "configmaps" },
  spec: {
    trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
    target: {
      resourceClaimTemplate: {
        spec: {
          consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" },
          requests: [{ resourceType, amount: 1 }],
        },
      },
    },
  },
};

export function grant(consumer: number, amount = unlimited): Manifest {
  const namespace = namespaceOf(consumer);
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceGrant",
    metadata: { name: "configmaps", namespace },
    spec: {
      consumerRef: { kind: "Namespace", name: namespace },
      allowances: [{ resourceType, buckets: [{ amount }] }],
    },
  };
}

/** An object of 1 KB. */
export function configMap(name: string): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } };
}

/** A claim that a client creates itself. */
export function manualClaim(name: string, consumer: number): Manifest {
  const namespace = namespaceOf(consumer);
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace },
    spec: { consumerRef: { kind: "Namespace", name: namespace }, requests: [{ resourceType, amount: 1 }] },
  };
}

/** A granted manual claim of the first consumer. */
export function grantedClaim(name: string, uid: string): Manifest {
  const condition = {
    type: "Granted",
    status: "True",
    reason: "QuotaAvailable",
    message: "All 1 resource requests have been granted",
    lastTransitionTime: longAgo,
    observedGeneration: 1,
  };
  const allocation = { status: "Granted", reason: "QuotaAvailable", allocatedAmount: 1, lastTransitionTime: longAgo };
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace: namespaceOf(0), uid, generation: 1, creationTimestamp: longAgo },
    spec: {
      consumerRef: { kind: "Namespace", name: namespaceOf(0) },
      requests: [{ resourceType, amount: 1 }],
    },
    status: {
      observedGeneration: 1,
      allocations: [{ resourceType, ...allocation }],
      conditions: [condition],
    },
  };
}
