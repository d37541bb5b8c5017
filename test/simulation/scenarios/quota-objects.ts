import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { quotaApiVersion } from "@milo-quota/quota/core/resources/well-known.ts";

export const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };

export interface ResourceRequest {
  readonly resourceType: string;
  readonly amount: number;
  readonly dimensions?: Readonly<Record<string, string>>;
}

export function registration(resourceType: string, dimensions: readonly string[] = []): KubernetesObject {
  return object(
    "ResourceRegistration",
    { name: nameOf(resourceType) },
    {
      resourceType,
      type: "Allocation",
      consumerType: { apiGroup: organization.apiGroup, kind: organization.kind },
      baseUnit: "unit",
      claimingResources: [{ apiGroup: "", kind: "ConfigMap" }],
      ...(dimensions.length === 0 ? {} : { dimensions }),
    },
  );
}

/** A grant to acme. */
export function grant(name: string, resourceType: string, amount: number): KubernetesObject {
  return object(
    "ResourceGrant",
    { name, namespace: "milo-system" },
    {
      consumerRef: organization,
      allowances: [{ resourceType, buckets: [{ amount }] }],
    },
  );
}

/** A grant to acme for all dimensions. */
export function grantWhere(name: string, resourceType: string, amount: number): KubernetesObject {
  return object(
    "ResourceGrant",
    { name, namespace: "milo-system" },
    { consumerRef: organization, allowances: [{ resourceType, buckets: [{ amount, dimensionSelector: {} }] }] },
  );
}

/** A service's claim on acme's quota. */
export function claim(name: string, requests: readonly ResourceRequest[]): KubernetesObject {
  return object("ResourceClaim", { name, namespace: "default" }, { consumerRef: organization, requests });
}

/** Every ConfigMap with the label claims the amount in the label. */
export function labelPolicy(resourceType: string, label: string): KubernetesObject {
  return claimPolicy(`${label}s`, [resourceType], label);
}

/** Every ConfigMap claims the amount in its size label of each of these types. */
export function sizedPolicy(name: string, resourceTypes: readonly string[]): KubernetesObject {
  return claimPolicy(name, resourceTypes, "size");
}

function claimPolicy(name: string, resourceTypes: readonly string[], label: string): KubernetesObject {
  const { apiGroup, kind, name: organizationName } = organization;
  const amountExpression = `int(trigger.metadata.labels.${label})`;
  const requests = resourceTypes.map((resourceType) => ({ resourceType, amountExpression }));
  const consumerRef = { apiGroup, kind, name: organizationName };
  return object(
    "ClaimCreationPolicy",
    { name },
    {
      trigger: {
        resource: { apiVersion: "v1", kind: "ConfigMap" },
        constraints: [{ expression: `trigger.metadata.labels["${label}"] != ""` }],
      },
      target: { resourceClaimTemplate: { spec: { consumerRef, requests } } },
    },
  );
}

export function configMap(name: string, size: number, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
  const metadata = { name, namespace: "default", labels: { size: String(size), ...labels } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function object(kind: string, metadata: KubernetesObject["metadata"], spec: object): KubernetesObject {
  return { apiVersion: quotaApiVersion, kind, metadata, spec } as KubernetesObject;
}

function nameOf(resourceType: string): string {
  return resourceType.replaceAll(/[^a-z0-9]+/g, "-");
}
