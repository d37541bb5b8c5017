// Where objects are made that are counted while the server is killed: two namespaces of the root, and a project with a
// control plane of its own.

import { projectPath } from "@milo-quota/quota/views/tenant-planes.ts";
import { organization, organizations, project as projectOf, projects } from "../tenancy/tenant-world.ts";
import type { FrontDoor } from "./front-door.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const api = `/apis/${apiVersion}`;
const tenants = "resourcemanager.miloapis.com";

/** Somebody with a quota, and where their objects are. */
export interface Place {
  readonly name: string;
  /** Where objects are made. */
  readonly objects: string;
  /** Of all quota objects in the control plane. */
  readonly quota: string;
  readonly consumer: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  readonly resourceType: string;
  readonly grantNamespace: string;
}

/** How much each of them is granted; an object takes as much as its label says. */
export const limit = 40;

const teams = ["team-a", "team-b"].map(
  (name): Place => ({
    name,
    objects: `/api/v1/namespaces/${name}/configmaps`,
    quota: api,
    consumer: { kind: "Namespace", name },
    resourceType: "core/configmaps",
    grantNamespace: name,
  }),
);
const web = projectPath("web");
const project: Place = {
  name: "web",
  objects: `${web}/api/v1/namespaces/default/secrets`,
  quota: `${web}${api}`,
  consumer: { apiGroup: tenants, kind: "Project", name: "web" },
  resourceType: "core/secrets",
  grantNamespace: "milo-system",
};
export const places: readonly Place[] = [...teams, project];

const registration = (name: string, { consumer, resourceType }: Place, claiming: string) => ({
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name },
  spec: {
    resourceType,
    type: "Allocation",
    baseUnit: "unit",
    consumerType: { apiGroup: consumer.apiGroup ?? "", kind: consumer.kind },
    claimingResources: [{ kind: claiming }],
  },
});

const policy = (name: string, kind: string, { consumer, resourceType }: Place) => ({
  apiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name },
  spec: {
    trigger: {
      resource: { apiVersion: "v1", kind },
      constraints: [{ expression: '"size" in trigger.metadata.labels' }],
    },
    target: {
      resourceClaimTemplate: {
        spec: {
          ...(consumer.kind === "Project"
            ? {}
            : { consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" } }),
          requests: [{ resourceType, amountExpression: "int(trigger.metadata.labels.size)" }],
        },
      },
    },
  },
});

const grant = ({ consumer, resourceType }: Place) => ({
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name: "all" },
  spec: { consumerRef: consumer, allowances: [{ resourceType, buckets: [{ amount: limit }] }] },
});

export const sized = (name: string, size: number) => ({ metadata: { name, labels: { size: `${size}` } } });

const isReady = ({ status }: { status?: { conditions?: readonly { type: string; status: string }[] } }): boolean =>
  status?.conditions?.some(({ type, status: is }) => ["Ready", "Active"].includes(type) && is === "True") ?? false;

/** Makes tenants, registrations, policies and grants; resolves when quota is at work. */
export async function prepare(admin: FrontDoor): Promise<void> {
  const make = async (path: string, wanted: object): Promise<string> => {
    const { code, text, body } = await admin.create(path, wanted);
    if (code !== 201) throw new Error(text);
    return `${path}/${body.metadata.name}`;
  };
  const [team] = teams as [Place];
  await make(organizations, organization("acme"));
  await admin.until(await make(projects, projectOf("web", "acme")), isReady);
  for (const { name } of teams) await make("/api/v1/namespaces", { metadata: { name } });
  await make(`${api}/resourceregistrations`, registration("config-maps", team, "ConfigMap"));
  await make(`${api}/resourceregistrations`, registration("secrets", project, "Secret"));
  for (const place of places) {
    const path = await make(`${place.quota}/namespaces/${place.grantNamespace}/resourcegrants`, grant(place));
    await admin.until(path, isReady);
  }
  for (const [name, kind, place] of [
    ["config-maps", "ConfigMap", team],
    ["secrets", "Secret", project],
  ] as const) {
    await admin.until(await make(`${api}/claimcreationpolicies`, policy(name, kind, place)), isReady);
  }
}
