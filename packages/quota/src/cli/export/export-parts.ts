import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { labels, quotaGroup, quotaVersion, systemNamespace } from "../../core/resources/well-known.ts";
import { listAll } from "../cluster/object-lists.ts";
import { portable } from "./portable.ts";

/** Objects of one kind, in the order in which another cluster takes them. */
export interface ExportPart {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

interface Kind {
  readonly name: string;
  readonly type: ResourceType;
  /** Whether people made it, and not the system. */
  readonly isTheirs?: (object: AnyObject) => boolean;
}

const isByHand = ({ metadata }: AnyObject): boolean => metadata.labels?.[labels.autoCreated] !== "true";

function quota(plural: string, scope: ResourceType["scope"], isTheirs?: Kind["isTheirs"]): Kind {
  const type = { group: quotaGroup, version: quotaVersion, plural, scope };
  return { name: plural, type, ...(isTheirs === undefined ? {} : { isTheirs }) };
}

function tenant(plural: string, scope: ResourceType["scope"], group = "resourcemanager.miloapis.com"): Kind {
  return { name: plural, type: { group, version: "v1alpha1", plural, scope } };
}

/**
 * What is counted before who is granted it, and limits before what they limit: projects come last, so that they are
 * counted there as they are here.
 */
const kinds: readonly Kind[] = [
  quota("resourceregistrations", "Cluster"),
  quota("grantcreationpolicies", "Cluster"),
  tenant("users", "Cluster", "iam.miloapis.com"),
  tenant("organizations", "Cluster"),
  tenant("organizationmemberships", "Namespaced"),
  quota("resourcegrants", "Namespaced", isByHand),
  quota("claimcreationpolicies", "Cluster"),
  quota("resourceclaims", "Namespaced", isByHand),
  tenant("projects", "Cluster"),
];

/** What a control plane holds that people made. Kinds that the server does not have hold nothing. */
export async function partsOf(
  plane: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ExportPart[]> {
  const parts: ExportPart[] = [];
  const namespaces = new Set<string>();
  for (const { name, type, isTheirs = () => true } of kinds) {
    const found = await objectsOf(plane, type, namespace, signal);
    const theirs = found.filter((object) => object.metadata.deletionTimestamp === undefined && isTheirs(object));
    for (const { metadata } of theirs) if (metadata.namespace !== undefined) namespaces.add(metadata.namespace);
    if (theirs.length > 0) parts.push({ name, objects: theirs.map(portable) });
  }
  const made = namespaceManifests(namespaces);
  return made.length === 0 ? parts : [{ name: "namespaces", objects: made }, ...parts];
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

/** Those that are not there anyway: organizations and the system bring their own. */
function namespaceManifests(names: ReadonlySet<string>): readonly JsonObject[] {
  return [...names]
    .filter((name) => !name.startsWith("organization-") && ![systemNamespace, "default"].includes(name))
    .sort()
    .map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}
