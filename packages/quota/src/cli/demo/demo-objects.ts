import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";

/** An object of the demo and its resource type. */
export interface DemoObject {
  readonly type: ResourceType;
  readonly object: AnyObject;
}

const quotaApi = "quota.miloapis.com/v1alpha1";
const tenantGroup = "resourcemanager.miloapis.com";
const tenantApi = `${tenantGroup}/v1alpha1`;
const resourceType = `${tenantGroup}/projects`;
const organizationRef = { apiGroup: tenantGroup, kind: "Organization" };

export const organizationName = "demo-corp";
export const projectNames = ["demo-web", "demo-shop", "demo-blog"] as const;
export const oneTooMany = "demo-one-too-many";

function demoObject(group: string, plural: string, object: object): DemoObject {
  const type: ResourceType = { group, version: "v1alpha1", plural, scope: "Cluster" };
  return { type, object: object as AnyObject };
}

/** The objects of examples/projects-per-organization, with an organization and projects of their own. */
export const demoRegistration = demoObject("quota.miloapis.com", "resourceregistrations", {
  apiVersion: quotaApi,
  kind: "ResourceRegistration",
  metadata: { name: "projects-per-organization" },
  spec: {
    resourceType,
    type: "Entity",
    consumerType: organizationRef,
    baseUnit: "project",
    claimingResources: [{ apiGroup: tenantGroup, kind: "Project" }],
  },
});

export const demoGrantPolicy = demoObject("quota.miloapis.com", "grantcreationpolicies", {
  apiVersion: quotaApi,
  kind: "GrantCreationPolicy",
  metadata: { name: "three-projects" },
  spec: {
    trigger: {
      resource: { apiVersion: tenantApi, kind: "Organization" },
      constraints: [{ expression: 'trigger.status.phase == "Active"' }],
    },
    target: {
      resourceGrantTemplate: {
        spec: {
          consumerRef: { ...organizationRef, name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType, buckets: [{ amount: 3 }] }],
        },
      },
    },
  },
});

export const demoClaimPolicy = demoObject("quota.miloapis.com", "claimcreationpolicies", {
  apiVersion: quotaApi,
  kind: "ClaimCreationPolicy",
  metadata: { name: "one-project" },
  spec: {
    trigger: { resource: { apiVersion: tenantApi, kind: "Project" } },
    target: {
      resourceClaimTemplate: {
        spec: {
          consumerRef: { ...organizationRef, name: "{{ trigger.spec.ownerRef.name }}" },
          requests: [{ resourceType, amount: 1 }],
        },
      },
    },
  },
});

export const demoOrganization = demoObject(tenantGroup, "organizations", {
  apiVersion: tenantApi,
  kind: "Organization",
  metadata: { name: organizationName },
  spec: { type: "Standard" },
});

export function demoProject(name: string): DemoObject {
  return demoObject(tenantGroup, "projects", {
    apiVersion: tenantApi,
    kind: "Project",
    metadata: { name },
    spec: { ownerRef: { kind: "Organization", name: organizationName } },
  });
}
