// The consumers of recordings and their objects. Recordings of all versions share these names.

import { projectPath, projectPlane } from "@milo-quota/quota/views/tenant-planes.ts";
import type { ApiClient } from "../api-client.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const tenantGroup = "resourcemanager.miloapis.com";
const tenants = `/apis/${tenantGroup}/v1alpha1`;
export const quota = `/apis/${apiVersion}`;
export const prefixes: Readonly<Record<string, string>> = {
  root: "",
  [projectPlane("web")]: projectPath("web"),
};

/** A consumer whose governed objects take the amount of their `size` label. */
export interface QuotaScope {
  readonly plane: string;
  readonly consumer: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  readonly resourceType: string;
  /** Resource and namespace of the stored objects. */
  readonly resource: string;
  readonly objects: string;
  readonly grantNamespace: string;
}

const team = (name: string): QuotaScope => ({
  plane: "root",
  consumer: { kind: "Namespace", name },
  resourceType: "core/configmaps",
  resource: "configmaps",
  objects: `/api/v1/namespaces/${name}/configmaps`,
  grantNamespace: name,
});

/** Far below its limit, so that version 0.1.0 reserved capacity in `status.ahead`. */
export const busy = team("busy");
/** Close to its limit. */
export const nearlyFull = team("nearly-full");
/** Without any requests after the recording. */
export const idle = team("idle");
/** A project with its own control plane. */
export const web: QuotaScope = {
  plane: projectPlane("web"),
  consumer: { apiGroup: tenantGroup, kind: "Project", name: "web" },
  resourceType: "core/secrets",
  resource: "secrets",
  objects: `${projectPath("web")}/api/v1/namespaces/default/secrets`,
  grantNamespace: "milo-system",
};
export const scopes: readonly QuotaScope[] = [busy, nearlyFull, idle, web];

const limits = new Map([
  [busy, 400],
  [nearlyFull, 60],
  [idle, 100],
  [web, 40],
]);

export const sized = (name: string, size: number) => ({ metadata: { name, labels: { size: `${size}` } } });

const object = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec });

const registration = (name: string, { consumer, resourceType }: QuotaScope, kind: string) =>
  object("ResourceRegistration", name, {
    resourceType,
    type: "Allocation",
    baseUnit: "unit",
    consumerType: { apiGroup: consumer.apiGroup ?? "", kind: consumer.kind },
    claimingResources: [{ kind }],
  });

const policy = (name: string, kind: string, consumer: object, { resourceType }: QuotaScope) =>
  object("ClaimCreationPolicy", name, {
    trigger: {
      resource: { apiVersion: "v1", kind },
      constraints: [{ expression: '"size" in trigger.metadata.labels' }],
    },
    target: {
      resourceClaimTemplate: {
        spec: { ...consumer, requests: [{ resourceType, amountExpression: "int(trigger.metadata.labels.size)" }] },
      },
    },
  });

const grant = (scope: QuotaScope) =>
  object("ResourceGrant", "all", {
    consumerRef: scope.consumer,
    allowances: [{ resourceType: scope.resourceType, buckets: [{ amount: limits.get(scope) }] }],
  });

/** Counted by location with manual claims. */
const instances = "compute.example.com/instances";
const instancesRegistration = object("ResourceRegistration", "instances", {
  resourceType: instances,
  type: "Allocation",
  baseUnit: "instance",
  consumerType: { apiGroup: "", kind: "Namespace" },
  dimensions: ["location"],
});
const instancesGrant = object("ResourceGrant", "instances", {
  consumerRef: busy.consumer,
  allowances: [
    {
      resourceType: instances,
      buckets: [{ amount: 2 }, { amount: 3, dimensionSelector: { matchLabels: { location: "DFW" } } }],
    },
  ],
});

const manualClaims = [
  object("ResourceClaim", "by-hand", {
    consumerRef: busy.consumer,
    requests: [{ resourceType: busy.resourceType, amount: 5 }],
  }),
  object("ResourceClaim", "by-hand-in-dfw", {
    consumerRef: busy.consumer,
    requests: [{ resourceType: instances, amount: 4, dimensions: { location: "DFW" } }],
  }),
];

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const isReady = ({ status }: Conditioned): boolean =>
  status?.conditions?.some(({ type, status: is }) => ["Ready", "Active", "Granted"].includes(type) && is === "True") ??
  false;

/** Creates tenants, registrations, grants, policies and manual claims, and waits until the policies are ready. */
export async function prepare(admin: ApiClient): Promise<void> {
  const make = async (path: string, wanted: object): Promise<string> => {
    const { code, text, body } = await admin.create(path, wanted);
    if (code !== 201) throw new Error(text);
    return `${path}/${body.metadata.name}`;
  };
  const ready = async (path: string, wanted: object) => admin.until(await make(path, wanted), isReady);
  const tenant = (kind: string, name: string, spec: object) => ({
    apiVersion: `${tenantGroup}/v1alpha1`,
    kind,
    metadata: { name },
    spec,
  });
  await make(`${tenants}/organizations`, tenant("Organization", "acme", {}));
  await ready(`${tenants}/projects`, tenant("Project", "web", { ownerRef: { kind: "Organization", name: "acme" } }));
  for (const { consumer } of [busy, nearlyFull, idle]) {
    await make("/api/v1/namespaces", { metadata: { name: consumer.name } });
  }
  await ready(`${quota}/resourceregistrations`, registration("config-maps", busy, "ConfigMap"));
  await ready(`${quota}/resourceregistrations`, registration("secrets", web, "Secret"));
  await ready(`${quota}/resourceregistrations`, instancesRegistration);
  for (const scope of scopes) {
    const grants = `${prefixes[scope.plane]}${quota}/namespaces/${scope.grantNamespace}/resourcegrants`;
    await ready(grants, grant(scope));
  }
  await ready(`${quota}/namespaces/busy/resourcegrants`, instancesGrant);
  const ofNamespace = { consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" } };
  await ready(`${quota}/claimcreationpolicies`, policy("config-maps", "ConfigMap", ofNamespace, busy));
  await ready(`${quota}/claimcreationpolicies`, policy("secrets", "Secret", {}, web));
  for (const claim of manualClaims) await ready(`${quota}/namespaces/busy/resourceclaims`, claim);
}
