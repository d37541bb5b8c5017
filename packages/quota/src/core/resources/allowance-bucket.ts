import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { conditionsSchema, observedGenerationSchema } from "./fields/conditions.ts";
import { type ConsumerRef, consumerRefSchema, readConsumerRef } from "./fields/consumer-ref.ts";
import { type Dimensions, dimensionsSchema } from "./fields/dimensions.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { amountSchema } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

export const usedPercentMax = 1_000_000;
export const reservationsMax = 128;
export const contributingGrantsMax = 50;

export const immutableSpec: ValidationRule = {
  rule: "self == oldSelf",
  message: "the spec is immutable",
  reason: "FieldValueForbidden",
  holds: (self, oldSelf) => oldSelf === undefined || jsonEquals(self, oldSelf),
};

const specSchema = {
  type: "object",
  description: "Identifies the consumer, resource type and dimensions that this bucket counts.",
  required: ["consumerRef", "resourceType"],
  properties: {
    consumerRef: { ...consumerRefSchema, description: "The consumer whose quota this bucket counts." },
    resourceType: { ...resourceTypeSchema, description: "The resource type that this bucket counts." },
    dimensions: {
      ...dimensionsSchema,
      description:
        "The dimensions that this bucket counts. The bucket without dimensions holds the reservations of all decisions.",
    },
  },
  "x-kubernetes-validations": [immutableSpec],
} as const satisfies Schema;

/** With bounds, because an API server does not validate the format of integers. */
export const countSchema = {
  type: "integer",
  format: "int32",
  minimum: 0,
  maximum: 2147483647,
} as const satisfies Schema;

const reservationSchema = {
  type: "object",
  required: ["reservedBy", "amount", "set"],
  properties: {
    reservedBy: {
      type: "object",
      description: "The claim that the capacity is reserved for.",
      required: ["uid"],
      properties: {
        apiVersion: { type: "string", maxLength: 317, description: "API version of the claim." },
        kind: { type: "string", maxLength: 63, description: "Kind of the claim: ResourceClaim." },
        namespace: { type: "string", maxLength: 63, description: "Namespace of the claim." },
        name: { type: "string", maxLength: 253, description: "Name of the claim." },
        uid: { type: "string", minLength: 1, maxLength: 128, description: "UID of the claim." },
      },
    },
    amount: { ...amountSchema, description: "The reserved amount, in base units." },
    dimensions: { ...dimensionsSchema, description: "Dimensions of the request that the capacity is reserved for." },
    set: {
      type: "string",
      minLength: 1,
      maxLength: 48,
      description:
        "ID of the attempt to grant the claim. The reservations of an attempt count only if all buckets of the claim have them.",
    },
    forced: {
      type: "boolean",
      description: "True if the capacity was reserved without checking the limit, for an object that already exists.",
    },
    expirationTime: {
      type: "string",
      format: "date-time",
      description: "Time by which the claim should be decided. Informational: the reservation does not expire.",
    },
  },
} as const satisfies Schema;

const contributingGrantSchema = {
  type: "object",
  required: ["name", "amount", "lastObservedGeneration"],
  properties: {
    name: { type: "string", maxLength: 253, description: "Name of the grant." },
    namespace: { type: "string", maxLength: 63, description: "Namespace of the grant." },
    amount: { ...amountSchema, description: "Amount that the grant adds to this bucket, in base units." },
    lastObservedGeneration: {
      type: "integer",
      format: "int64",
      description: "Generation of the grant when it was counted.",
    },
  },
} as const satisfies Schema;

const statusSchema = {
  type: "object",
  description: "The limit and use of this bucket, as last written by the quota system.",
  required: ["limit", "allocated", "available", "claimCount", "grantCount"],
  properties: {
    observedGeneration: observedGenerationSchema,
    limit: { ...amountSchema, description: "Sum of all Active grants, in base units." },
    allocated: { ...amountSchema, description: "Sum of all granted claims, in base units." },
    reserved: { ...amountSchema, description: "Amount reserved for claims that are being decided, in base units." },
    available: {
      ...amountSchema,
      description:
        "Amount that is neither allocated nor reserved, in base units. Of a bucket with dimensions, the amount that one " +
        "more request with them could get now. Never below 0.",
    },
    availableWithoutDimensions: {
      ...amountSchema,
      description:
        "Amount that one more request without dimensions could get now, in base units. Only where it is less than " +
        "available, because grants are limited to some dimensions.",
    },
    overage: { ...amountSchema, description: "Amount by which use exceeds the limit, in base units." },
    usedPercent: {
      type: "integer",
      minimum: 0,
      maximum: usedPercentMax,
      description: "Allocated and reserved amounts together, in percent of the limit.",
    },
    claimCount: { ...countSchema, description: "Number of granted claims that hold capacity of this bucket." },
    grantCount: { ...countSchema, description: "Number of Active grants that contribute to the limit." },
    writer: {
      type: "string",
      maxLength: 128,
      description: "Writer ID and a sequence number that increases with every write.",
    },
    reservations: {
      type: "array",
      maxItems: reservationsMax,
      "x-kubernetes-list-type": "atomic",
      items: reservationSchema,
      description: "Capacity reserved for claims that are being decided.",
    },
    contributingGrantRefs: {
      type: "array",
      maxItems: contributingGrantsMax,
      "x-kubernetes-list-type": "atomic",
      items: contributingGrantSchema,
      description: "Grants that contribute to the limit, at most the first 50. grantCount counts all.",
    },
    lastReconciliation: { type: "string", format: "date-time", description: "Time at which the figures last changed." },
    conditions: conditionsSchema(
      { OverLimit: ["WithinLimit", "LimitLowered", "Forced"] },
      "OverLimit tells whether use exceeds the limit.",
    ),
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description:
    "Shows the limit and the use of one resource type by one consumer. Kept by the quota system; there is nothing to create by hand.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const allowanceBucketDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "AllowanceBucket",
  plural: "allowancebuckets",
  singular: "allowancebucket",
  shortNames: ["abucket"],
  categories: ["milo-quota"],
  scope: "Namespaced",
  schema,
  printerColumns: [
    { name: "Consumer", type: "string", jsonPath: ".spec.consumerRef.name" },
    { name: "Resource Type", type: "string", jsonPath: ".spec.resourceType" },
    { name: "Limit", type: "integer", jsonPath: ".status.limit" },
    { name: "Allocated", type: "integer", jsonPath: ".status.allocated" },
    { name: "Reserved", type: "integer", jsonPath: ".status.reserved" },
    { name: "Available", type: "integer", jsonPath: ".status.available" },
    { name: "Used %", type: "integer", jsonPath: ".status.usedPercent" },
    { name: "Dimensions", type: "string", jsonPath: ".spec.dimensions", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.consumerRef.kind", "spec.consumerRef.name", "spec.resourceType"],
} as const satisfies KindDefinition;

export type AllowanceBucketStatus = Infer<typeof statusSchema>;

export interface AllowanceBucket {
  readonly metadata: ObjectMeta;
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
  readonly dimensions: Dimensions;
  /** Undefined until the first write of the bucket writer. */
  readonly status: AllowanceBucketStatus | undefined;
  /** Whether an earlier version wrote the status. Its figures are not reliable. */
  readonly isOutdated: boolean;
}

const accept = acceptKind(allowanceBucketDefinition);

export function parseAllowanceBucket(value: unknown, old?: unknown): Parsed<AllowanceBucket> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { consumerRef, resourceType, dimensions = {} } = content.spec;
  const { status } = content;
  const isOutdated = hasEarlyFields(value);
  const bucket = { metadata, consumer: readConsumerRef(consumerRef), resourceType, dimensions, status, isOutdated };
  return { ok: true, value: bucket };
}

/** Earlier versions had `ahead`: capacity that claims may hold without being counted in `allocated`. */
function hasEarlyFields(value: unknown): boolean {
  const status = isJsonObject(value) ? ownValue(value, "status") : undefined;
  return isJsonObject(status) && ownValue(status, "ahead") !== undefined;
}
