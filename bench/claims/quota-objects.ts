import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { quotaApiVersion } from "@milo-quota/quota/core/resources/well-known.ts";

type Manifest = KubernetesObject & Readonly<Record<string, unknown>>;

/** Namespace of claims and grants. */
export const namespace = "default";

const apiGroup = "resourcemanager.miloapis.com";
const resourceType = `${apiGroup}/projects`;
/** More than any benchmark claims. */
const unlimited = 1_000_000_000;
const longAgo = "2026-01-01T00:00:00Z";

function consumerRef(consumer: number) {
  return { apiGroup, kind: "Organization", name: `organization-${consumer}` };
}

function specOf(name: string, consumer: number) {
  return {
    consumerRef: consumerRef(consumer),
    requests: [{ resourceType, amount: 1 }],
    resourceRef: { apiGroup, kind: "Project", name: `project-of-${name}` },
  };
}

export const registration: Manifest = {
  apiVersion: quotaApiVersion,
  kind: "ResourceRegistration",
  metadata: { name: "projects" },
  spec: {
    resourceType,
    type: "Entity",
    baseUnit: "project",
    consumerType: { apiGroup, kind: "Organization" },
    claimingResources: [{ apiGroup, kind: "Project" }],
  },
};

export function grant(consumer: number): Manifest {
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceGrant",
    metadata: { name: `grant-${consumer}`, namespace },
    spec: {
      consumerRef: consumerRef(consumer),
      allowances: [{ resourceType, buckets: [{ amount: unlimited }] }],
    },
  };
}

export function claim(name: string, consumer: number): Manifest {
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace },
    spec: specOf(name, consumer),
  };
}

/** A granted claim. */
export function grantedClaim(name: string, uid: string): Manifest {
  const bare = claim(name, 0);
  const allocation = {
    resourceType,
    status: "Granted",
    reason: "QuotaAvailable",
    allocatedAmount: 1,
    lastTransitionTime: longAgo,
  };
  const granted = {
    type: "Granted",
    status: "True",
    reason: "QuotaAvailable",
    message: "All 1 resource requests have been granted",
    lastTransitionTime: longAgo,
    observedGeneration: 1,
  };
  return {
    ...bare,
    metadata: { ...bare.metadata, uid, generation: 1, creationTimestamp: longAgo },
    spec: { ...specOf(name, 0), requests: [{ resourceType, amount: 1 }] },
    status: { observedGeneration: 1, allocations: [allocation], conditions: [granted] },
  };
}
