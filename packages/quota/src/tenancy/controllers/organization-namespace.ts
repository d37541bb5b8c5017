import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationNamespace } from "../../core/resources/object-tenant.ts";
import { type Organization, organizationDefinition } from "../resources/organization.ts";
import { organizationLabel } from "../resources/tenancy-names.ts";
import { isDeleting, organizationOwners } from "../tenant-records.ts";
import { ignoreConflict, ownedBy } from "./tenant-writes.ts";

type Namespaces = ResourceClient<KubernetesObject>;

/** Creates or adopts the namespace of an organization. The namespace of an earlier organization of the same name is deleted first. */
export async function ensureOrganizationNamespace(
  namespaces: Namespaces,
  organization: Organization,
  signal: AbortSignal,
): Promise<"ready" | "terminating"> {
  const found = await find(namespaces, organization, signal);
  if (found === undefined) {
    await namespaces.create(namespaceOf(organization), {}, signal);
    return "ready";
  }
  if (isDeleting(found.metadata)) return "terminating";
  const owners = organizationOwners(found.metadata);
  const isOurs = owners.includes(organization.metadata.uid ?? "");
  if (owners.length > 0 && !isOurs) {
    await remove(namespaces, found, signal);
    return "terminating";
  }
  if (!isOurs || !isLabelled(found, organization)) await adopt(namespaces, found, organization, signal);
  return "ready";
}

/** Deletes the namespace of an organization, if the organization owns it. */
export async function removeNamespace(
  namespaces: Namespaces,
  organization: Organization,
  signal: AbortSignal,
): Promise<"gone" | "terminating"> {
  const found = await find(namespaces, organization, signal);
  if (found === undefined || !organizationOwners(found.metadata).includes(organization.metadata.uid ?? "")) {
    return "gone";
  }
  if (!isDeleting(found.metadata)) await remove(namespaces, found, signal);
  return "terminating";
}

function find(namespaces: Namespaces, { metadata }: Organization, signal: AbortSignal) {
  return namespaces.find({ name: organizationNamespace(metadata.name ?? "") }, signal);
}

async function remove(namespaces: Namespaces, { metadata }: KubernetesObject, signal: AbortSignal): Promise<void> {
  const { name = "", uid } = metadata;
  await namespaces.delete({ name }, uid === undefined ? {} : { uid }, signal).catch(ignoreConflict);
}

async function adopt(
  namespaces: Namespaces,
  { metadata }: KubernetesObject,
  organization: Organization,
  signal: AbortSignal,
): Promise<void> {
  const wanted = namespaceOf(organization).metadata;
  const { name = "", uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter(({ kind }) => kind !== organizationDefinition.kind);
  const owned = { labels: wanted.labels, ownerReferences: [...others, ...wanted.ownerReferences] };
  await namespaces.patch(
    { name },
    { type: "merge", body: { metadata: { uid, resourceVersion, ...owned } } },
    {},
    signal,
  );
}

function namespaceOf({ metadata: { name = "", uid = "" } }: Organization) {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: organizationNamespace(name),
      labels: { [organizationLabel]: name },
      ownerReferences: [ownedBy({ name, uid })],
    },
  };
}

function isLabelled({ metadata: { labels } }: KubernetesObject, organization: Organization): boolean {
  return labels?.[organizationLabel] === organization.metadata.name;
}
