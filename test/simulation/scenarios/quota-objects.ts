import { quotaApiVersion } from "../../../src/core/resources/well-known.ts";
import type { KubernetesObject } from "../../../src/protocol/object-meta.ts";

export const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };

export interface Asked {
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
      ...(dimensions.length === 0 ? {} : { dimensions }),
    },
  );
}

/** What acme is granted. */
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

/** The same whatever the dimensions are. */
export function grantWhere(name: string, resourceType: string, amount: number): KubernetesObject {
  return object(
    "ResourceGrant",
    { name, namespace: "milo-system" },
    { consumerRef: organization, allowances: [{ resourceType, buckets: [{ amount, dimensionSelector: {} }] }] },
  );
}

/** What a service asks of acme's quota. */
export function claim(name: string, requests: readonly Asked[]): KubernetesObject {
  return object("ResourceClaim", { name, namespace: "default" }, { consumerRef: organization, requests });
}

function object(kind: string, metadata: KubernetesObject["metadata"], spec: object): KubernetesObject {
  return { apiVersion: quotaApiVersion, kind, metadata, spec } as KubernetesObject;
}

function nameOf(resourceType: string): string {
  return resourceType.replaceAll(/[^a-z0-9]+/g, "-");
}
