import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";

export const tenantGroup = "resourcemanager.miloapis.com";

const namespacePrefix = "organization-";

/** Where what belongs to an organization is kept. */
export function organizationNamespace(organization: string): string {
  return `${namespacePrefix}${organization}`;
}

/** The organization that a namespace is of; undefined for one that is of nobody. */
export function organizationOfNamespace(namespace: string): string | undefined {
  return namespace.startsWith(namespacePrefix) ? namespace.slice(namespacePrefix.length) : undefined;
}

export function organizationRef(name: string): ConsumerRef {
  return { apiGroup: tenantGroup, kind: "Organization", namespace: "", name };
}

export function projectRef(name: string): ConsumerRef {
  return { apiGroup: tenantGroup, kind: "Project", namespace: "", name };
}

/**
 * The organization that an object of the root belongs to: a project to its owner, what is in an organization's namespace to
 * that organization. It is read from the object alone, so that whoever asks is told the same: a request by whatever path,
 * and a controller that looks at the object years later. An organization does not belong to itself: where its quota is
 * kept is made after it.
 */
export function organizationOf(object: JsonObject): ConsumerRef | undefined {
  const name = isProject(object)
    ? text(part(part(object, "spec"), "ownerRef"), "name")
    : organizationOfNamespace(text(part(object, "metadata"), "namespace"));
  // No organization can have another name.
  return name === undefined || dnsLabel(name).length > 0 ? undefined : organizationRef(name);
}

function isProject(object: JsonObject): boolean {
  return text(object, "kind") === "Project" && parseApiVersion(text(object, "apiVersion")).group === tenantGroup;
}

function part(value: JsonValue | undefined, field: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, field) : undefined;
}

function text(value: JsonValue | undefined, field: string): string {
  const found = part(value, field);
  return typeof found === "string" ? found : "";
}
