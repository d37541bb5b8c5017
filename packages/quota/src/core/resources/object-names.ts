import { subdomainLengthMax } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";
import { type Dimensions, dimensionKey } from "./fields/dimensions.ts";
import { organizationNamespace, tenantGroup } from "./object-tenant.ts";
import { stableHash } from "./stable-hash.ts";
import { systemNamespace } from "./well-known.ts";

const hashLength = 16;

/** `organization-acme-corp-projects-<hash>`: a readable prefix, and a hash that makes it unique. */
export function bucketName(consumer: ConsumerRef, resourceType: string, dimensions: Dimensions = {}): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const parts = [apiGroup, kind, namespace, name, resourceType, dimensionKey(dimensions)];
  return cachedName(JSON.stringify(parts), () =>
    readableName([kind, name, tail(resourceType)], stableHash(parts, hashLength)),
  );
}

/** Hot: every decision needs the name of a bucket, and hashing takes longer than the decision. */
const nameCache = new Map<string, string>();
const nameCacheMax = 10_000;

function cachedName(id: string, make: () => string): string {
  const cached = nameCache.get(id);
  if (cached !== undefined) return cached;
  if (nameCache.size >= nameCacheMax) nameCache.clear();
  const name = make();
  nameCache.set(id, name);
  return name;
}

export function effectiveGrantName(consumer: ConsumerRef, resourceType: string): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const hash = stableHash([apiGroup, kind, namespace, name, resourceType, "effective"], hashLength);
  return readableName([kind, name, tail(resourceType), "effective"], hash);
}

/** The namespace of a consumer's buckets. */
export function bucketNamespace(consumer: ConsumerRef, namespaceExists: (name: string) => boolean): string {
  if (consumer.namespace !== "") return consumer.namespace;
  if (consumer.apiGroup === "" && consumer.kind === "Namespace") return consumer.name;
  const own = organizationNamespace(consumer.name);
  const isOrganization = consumer.apiGroup === tenantGroup && consumer.kind === "Organization";
  return isOrganization && namespaceExists(own) ? own : systemNamespace;
}

/** A valid object name with a readable prefix, which is truncated if necessary, and a hash that makes it unique. */
export function readableName(parts: readonly string[], hash: string): string {
  const readable = parts
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .slice(0, subdomainLengthMax - hash.length - 1)
    .replace(/^-+|-+$/g, "");
  return readable === "" ? hash : `${readable}-${hash}`;
}

function tail(resourceType: string): string {
  return resourceType.slice(resourceType.lastIndexOf("/") + 1);
}
