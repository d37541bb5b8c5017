import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";

export const tenantGroup = "resourcemanager.miloapis.com";

const namespacePrefix = "organization-";

/** The namespace of an organization. */
export function organizationNamespace(organization: string): string {
  return `${namespacePrefix}${organization}`;
}

/** Undefined for a namespace that is not of an organization. */
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
 * The organization that an object in the root plane belongs to: a project belongs to its owner, and an object in the namespace
 * of an organization to that organization. This depends on the object alone, so that admission and controllers always agree.
 * An organization does not belong to itself, because the namespace of its quota is created after it.
 */
export function organizationOf(object: JsonObject): ConsumerRef | undefined {
  const name = isProject(object)
    ? text(part(part(object, "spec"), "ownerRef"), "name")
    : organizationOfNamespace(text(part(object, "metadata"), "namespace"));
  // Only DNS labels are valid names of organizations.
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
