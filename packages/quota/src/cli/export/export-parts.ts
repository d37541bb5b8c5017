import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { labels, quotaGroup, quotaVersion, systemNamespace } from "../../core/resources/well-known.ts";
import { listAll } from "../cluster/list-all.ts";
import { toManifest } from "./to-manifest.ts";

/** The exported objects of one kind. */
export interface ExportPart {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

interface Kind {
  readonly name: string;
  readonly type: ResourceType;
  /** Excludes objects that the quota system creates itself. */
  readonly isExported?: (object: AnyObject) => boolean;
}

const isManual = ({ metadata }: AnyObject): boolean => metadata.labels?.[labels.autoCreated] !== "true";

function quota(plural: string, scope: ResourceType["scope"], isExported?: Kind["isExported"]): Kind {
  const type = { group: quotaGroup, version: quotaVersion, plural, scope };
  return { name: plural, type, ...(isExported === undefined ? {} : { isExported }) };
}

function tenant(plural: string, scope: ResourceType["scope"], group = "resourcemanager.miloapis.com"): Kind {
  return { name: plural, type: { group, version: "v1alpha1", plural, scope } };
}

/**
 * In the order in which another cluster accepts them: registrations before grants, and policies before the objects that
 * they govern. Projects come last, so that they are counted when they are created there.
 */
const kinds: readonly Kind[] = [
  quota("resourceregistrations", "Cluster"),
  quota("grantcreationpolicies", "Cluster"),
  tenant("users", "Cluster", "iam.miloapis.com"),
  tenant("organizations", "Cluster"),
  tenant("organizationmemberships", "Namespaced"),
  quota("resourcegrants", "Namespaced", isManual),
  quota("claimcreationpolicies", "Cluster"),
  quota("resourceclaims", "Namespaced", isManual),
  tenant("projects", "Cluster"),
];

/** Reads the exported objects of a control plane. Kinds that the server does not serve are skipped. */
export async function readExportParts(
  plane: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ExportPart[]> {
  const parts: ExportPart[] = [];
  const namespaces = new Set<string>();
  for (const { name, type, isExported = () => true } of kinds) {
    const found = await objectsOf(plane, type, namespace, signal);
    const exported = found.filter((object) => object.metadata.deletionTimestamp === undefined && isExported(object));
    for (const { metadata } of exported) if (metadata.namespace !== undefined) namespaces.add(metadata.namespace);
    if (exported.length > 0) parts.push({ name, objects: exported.map(toManifest) });
  }
  const objects = namespaceManifests(namespaces);
  return objects.length === 0 ? parts : [{ name: "namespaces", objects }, ...parts];
}

async function objectsOf(
  plane: KubeClient,
  type: ResourceType,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly AnyObject[]> {
  if (namespace !== undefined && type.scope === "Cluster") return [];
  try {
    return await listAll(plane.resource(type, anyObject), namespace === undefined ? {} : { namespace }, signal);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return [];
    throw error;
  }
}

/** Without the namespaces that exist on every server or that the server creates for organizations. */
function namespaceManifests(names: ReadonlySet<string>): readonly JsonObject[] {
  return [...names]
    .filter((name) => !name.startsWith("organization-") && ![systemNamespace, "default"].includes(name))
    .sort()
    .map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}
