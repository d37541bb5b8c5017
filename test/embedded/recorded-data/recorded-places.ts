// Who has quota in a recording, and where their objects are. Recordings of all versions share these names.

import { projectPath, projectPlane } from "@milo-quota/quota/views/tenant-planes.ts";
import type { FrontDoor } from "../front-door.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const tenantGroup = "resourcemanager.miloapis.com";
const tenants = `/apis/${tenantGroup}/v1alpha1`;
export const quota = `/apis/${apiVersion}`;
export const prefixes: Readonly<Record<string, string>> = {
  root: "",
  [projectPlane("web")]: projectPath("web"),
};

/** A consumer whose governed objects take as much as their label `size` says. */
export interface Place {
  readonly plane: string;
  readonly consumer: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  readonly resourceType: string;
  /** Of the objects, as they are stored. */
  readonly resource: string;
  readonly objects: string;
  readonly grantNamespace: string;
}

const team = (name: string): Place => ({
  plane: "root",
  consumer: { kind: "Namespace", name },
  resourceType: "core/configmaps",
  resource: "configmaps",
  objects: `/api/v1/namespaces/${name}/configmaps`,
  grantNamespace: name,
});

/** Much is left of its limit, so that a bucket could be written ahead of its claims. */
export const busy = team("busy");
/** Little is left of its limit. */
export const nearlyFull = team("nearly-full");
/** Nothing happens there after the recording. */
export const idle = team("idle");
/** In a control plane of its own. */
export const web: Place = {
  plane: projectPlane("web"),
  consumer: { apiGroup: tenantGroup, kind: "Project", name: "web" },
  resourceType: "core/secrets",
  resource: "secrets",
  objects: `${projectPath("web")}/api/v1/namespaces/default/secrets`,
  grantNamespace: "milo-system",
};
export const places: readonly Place[] = [busy, nearlyFull, idle, web];

const limits = new Map([
  [busy, 400],
  [nearlyFull, 60],
  [idle, 100],
  [web, 40],
]);

export const sized = (name: string, size: number) => ({ metadata: { name, labels: { size: `${size}` } } });

const object = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec });

const registration = (name: string, { consumer, resourceType }: Place, kind: string) =>
  object("ResourceRegistration", name, {
    resourceType,
    type: "Allocation",
    baseUnit: "unit",
    consumerType: { apiGroup: consumer.apiGroup ?? "", kind: consumer.kind },
    claimingResources: [{ kind }],
  });

const policy = (name: string, kind: string, consumer: object, { resourceType }: Place) =>
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

const grant = (place: Place) =>
  object("ResourceGrant", "all", {
    consumerRef: place.consumer,
    allowances: [{ resourceType: place.resourceType, buckets: [{ amount: limits.get(place) }] }],
  });

/** Counted by location, and claimed by hand. */
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

/** Creates tenants, registrations, grants, policies and manual claims; resolves when governed objects can be created. */
export async function prepare(admin: FrontDoor): Promise<void> {
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
  for (const place of places) {
    const grants = `${prefixes[place.plane]}${quota}/namespaces/${place.grantNamespace}/resourcegrants`;
    await ready(grants, grant(place));
  }
  await ready(`${quota}/namespaces/busy/resourcegrants`, instancesGrant);
  const ofNamespace = { consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" } };
  await ready(`${quota}/claimcreationpolicies`, policy("config-maps", "ConfigMap", ofNamespace, busy));
  await ready(`${quota}/claimcreationpolicies`, policy("secrets", "Secret", {}, web));
  for (const claim of manualClaims) await ready(`${quota}/namespaces/busy/resourceclaims`, claim);
}
