// The consumers of the kill tests: two namespaces of the root plane and a project with its own control plane.

import { projectPath } from "@milo-quota/quota/views/tenant-planes.ts";
import { organization, organizations, project as projectOf, projects } from "../tenancy/tenant-world.ts";
import type { ApiClient } from "./api-client.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const api = `/apis/${apiVersion}`;
const tenants = "resourcemanager.miloapis.com";

/** A consumer with its governed objects. */
export interface QuotaScope {
  readonly name: string;
  /** Path of its governed objects. */
  readonly objects: string;
  /** Path of the quota API in its control plane. */
  readonly quota: string;
  readonly consumer: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  readonly resourceType: string;
  readonly grantNamespace: string;
}

/** Limit of each consumer. An object takes the amount of its size label. */
export const limit = 40;

const teams = ["team-a", "team-b"].map(
  (name): QuotaScope => ({
    name,
    objects: `/api/v1/namespaces/${name}/configmaps`,
    quota: api,
    consumer: { kind: "Namespace", name },
    resourceType: "core/configmaps",
    grantNamespace: name,
  }),
);
const web = projectPath("web");
const project: QuotaScope = {
  name: "web",
  objects: `${web}/api/v1/namespaces/default/secrets`,
  quota: `${web}${api}`,
  consumer: { apiGroup: tenants, kind: "Project", name: "web" },
  resourceType: "core/secrets",
  grantNamespace: "milo-system",
};
export const scopes: readonly QuotaScope[] = [...teams, project];

const registration = (name: string, { consumer, resourceType }: QuotaScope, claiming: string) => ({
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

const policy = (name: string, kind: string, { consumer, resourceType }: QuotaScope) => ({
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

const grant = ({ consumer, resourceType }: QuotaScope) => ({
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name: "all" },
  spec: { consumerRef: consumer, allowances: [{ resourceType, buckets: [{ amount: limit }] }] },
});

export const sized = (name: string, size: number) => ({ metadata: { name, labels: { size: `${size}` } } });

const isReady = ({ status }: { status?: { conditions?: readonly { type: string; status: string }[] } }): boolean =>
  status?.conditions?.some(({ type, status: is }) => ["Ready", "Active"].includes(type) && is === "True") ?? false;

/** Creates tenants, registrations, policies and grants, and waits until the policies are ready. */
export async function prepare(admin: ApiClient): Promise<void> {
  const make = async (path: string, wanted: object): Promise<string> => {
    const { code, text, body } = await admin.create(path, wanted);
    if (code !== 201) throw new Error(text);
    return `${path}/${body.metadata.name}`;
  };
  const [team] = teams as [QuotaScope];
  await make(organizations, organization("acme"));
  await admin.until(await make(projects, projectOf("web", "acme")), isReady);
  for (const { name } of teams) await make("/api/v1/namespaces", { metadata: { name } });
  await make(`${api}/resourceregistrations`, registration("config-maps", team, "ConfigMap"));
  await make(`${api}/resourceregistrations`, registration("secrets", project, "Secret"));
  for (const scope of scopes) {
    const path = await make(`${scope.quota}/namespaces/${scope.grantNamespace}/resourcegrants`, grant(scope));
    await admin.until(path, isReady);
  }
  for (const [name, kind, scope] of [
    ["config-maps", "ConfigMap", team],
    ["secrets", "Secret", project],
  ] as const) {
    await admin.until(await make(`${api}/claimcreationpolicies`, policy(name, kind, scope)), isReady);
  }
}
