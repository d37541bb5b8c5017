import { subdomainLengthMax } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";
import { type Dimensions, dimensionKey } from "./fields/dimensions.ts";
import { organizationNamespace, tenantGroup } from "./object-tenant.ts";
import { stableHash } from "./stable-hash.ts";
import { systemNamespace } from "./well-known.ts";

const hashLength = 16;

/** `organization-acme-corp-projects-<hash>`: readable in front, and by its hash never the name of another bucket. */
export function bucketName(consumer: ConsumerRef, resourceType: string, dimensions: Dimensions = {}): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const parts = [apiGroup, kind, namespace, name, resourceType, dimensionKey(dimensions)];
  return remembered(JSON.stringify(parts), () =>
    readableName([kind, name, tail(resourceType)], stableHash(parts, hashLength)),
  );
}

/** Names made before: every decision names its bucket, and a hash takes longer than the decision. */
const made = new Map<string, string>();
const madeMax = 10_000;

function remembered(id: string, make: () => string): string {
  const known = made.get(id);
  if (known !== undefined) return known;
  if (made.size >= madeMax) made.clear();
  const name = make();
  made.set(id, name);
  return name;
}

/** The total of a consumer's resource type, over all dimensions. */
export function effectiveGrantName(consumer: ConsumerRef, resourceType: string): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const hash = stableHash([apiGroup, kind, namespace, name, resourceType, "effective"], hashLength);
  return readableName([kind, name, tail(resourceType), "effective"], hash);
}

/** The namespace in which a consumer's buckets are. Whether an organization has one of its own is for the caller to know. */
export function bucketNamespace(consumer: ConsumerRef, namespaceExists: (name: string) => boolean): string {
  if (consumer.namespace !== "") return consumer.namespace;
  if (consumer.apiGroup === "" && consumer.kind === "Namespace") return consumer.name;
  const own = organizationNamespace(consumer.name);
  const isOrganization = consumer.apiGroup === tenantGroup && consumer.kind === "Organization";
  return isOrganization && namespaceExists(own) ? own : systemNamespace;
}

/** A legal name of parts that people recognize and a hash that makes it unique. Too long, it loses readable text first. */
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
