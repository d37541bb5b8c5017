import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { immutableSpec } from "./allowance-bucket.ts";
import { observedGenerationSchema } from "./fields/conditions.ts";
import { type ConsumerRef, consumerRefSchema, readConsumerRef } from "./fields/consumer-ref.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { amountSchema } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

const specSchema = {
  type: "object",
  description: "Identifies the consumer and resource type that the totals are for.",
  required: ["consumerRef", "resourceType"],
  properties: {
    consumerRef: { ...consumerRefSchema, description: "The consumer whose quota is summed up." },
    resourceType: { ...resourceTypeSchema, description: "The resource type that is summed up." },
  },
  "x-kubernetes-validations": [immutableSpec],
} as const satisfies Schema;

const bucketRefSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 253, description: "Name of the bucket." },
    allocated: {
      ...amountSchema,
      description: "Amount held by granted claims with exactly the dimensions of the bucket, in base units.",
    },
    observedGeneration: {
      type: "integer",
      format: "int64",
      description: "Generation of the bucket that the totals include.",
    },
  },
} as const satisfies Schema;

const statusSchema = {
  type: "object",
  description: "Totals of the resource type over all dimensions.",
  properties: {
    observedGeneration: observedGenerationSchema,
    totalLimit: { ...amountSchema, description: "Sum of all Active grants, in base units." },
    totalAllocated: { ...amountSchema, description: "Sum of all granted claims, in base units." },
    totalReserved: {
      ...amountSchema,
      description: "Amount reserved for claims that are being decided, in base units.",
    },
    available: { ...amountSchema, description: "Amount left of the total limit, in base units. Never below 0." },
    overage: { ...amountSchema, description: "Amount by which use exceeds the grants, in base units." },
    allowanceBucketRefs: {
      type: "array",
      maxItems: 200,
      "x-kubernetes-list-type": "atomic",
      items: bucketRefSchema,
      description:
        "Buckets that the totals include, at most the first 200. What they list as allocated adds up to the total.",
    },
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description:
    "Shows the total of one resource type for one consumer, over all dimensions. Kept by the quota system; there is " +
    "nothing to create by hand.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const effectiveResourceGrantDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "EffectiveResourceGrant",
  plural: "effectiveresourcegrants",
  singular: "effectiveresourcegrant",
  shortNames: ["ergrant"],
  categories: ["milo-quota"],
  scope: "Namespaced",
  schema,
  printerColumns: [
    { name: "Consumer", type: "string", jsonPath: ".spec.consumerRef.name" },
    { name: "Resource Type", type: "string", jsonPath: ".spec.resourceType" },
    { name: "Limit", type: "integer", jsonPath: ".status.totalLimit" },
    { name: "Allocated", type: "integer", jsonPath: ".status.totalAllocated" },
    { name: "Reserved", type: "integer", jsonPath: ".status.totalReserved" },
    { name: "Available", type: "integer", jsonPath: ".status.available" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.consumerRef.kind", "spec.consumerRef.name", "spec.resourceType"],
} as const satisfies KindDefinition;

export interface EffectiveResourceGrant {
  readonly metadata: ObjectMeta;
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
  readonly status: Infer<typeof statusSchema>;
}

const accept = acceptKind(effectiveResourceGrantDefinition);

export function parseEffectiveResourceGrant(value: unknown, old?: unknown): Parsed<EffectiveResourceGrant> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { consumerRef, resourceType } = content.spec;
  return {
    ok: true,
    value: { metadata, consumer: readConsumerRef(consumerRef), resourceType, status: content.status ?? {} },
  };
}
