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
import { renamedProperties } from "./parsing/renamed-fields.ts";
import { amountSchema } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

export const usedPercentMax = 1_000_000;
export const reservationsMax = 128;
export const contributingGrantsMax = 50;

export const renamedInView = {
  ownerRef: { type: "object", use: "consumerRef" },
  resourceTypeName: { type: "string", use: "resourceType" },
} as const;

export const unchangingSpec: ValidationRule = {
  rule: "self == oldSelf",
  message: "the spec cannot be changed",
  reason: "FieldValueForbidden",
  holds: (self, oldSelf) => oldSelf === undefined || jsonEquals(self, oldSelf),
};

const specSchema = {
  type: "object",
  required: ["consumerRef", "resourceType"],
  properties: {
    consumerRef: { ...consumerRefSchema, description: "Whose quota this is." },
    resourceType: { ...resourceTypeSchema, description: "What is counted." },
    dimensions: {
      ...dimensionsSchema,
      description: "The dimensions this bucket is about. Without any, it is the one that all decisions go through.",
    },
    ...renamedProperties(renamedInView),
  },
  "x-kubernetes-validations": [unchangingSpec],
} as const satisfies Schema;

/** An API server does not hold integers to their format by itself. */
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
      description: "The claim the promise is for.",
      required: ["uid"],
      properties: {
        apiVersion: { type: "string", maxLength: 317 },
        kind: { type: "string", maxLength: 63 },
        namespace: { type: "string", maxLength: 63 },
        name: { type: "string", maxLength: 253 },
        uid: { type: "string", minLength: 1, maxLength: 128 },
      },
    },
    amount: { ...amountSchema, description: "What is promised, in base units." },
    dimensions: { ...dimensionsSchema, description: "The dimensions of the request." },
    set: {
      type: "string",
      minLength: 1,
      maxLength: 48,
      description:
        "Marks the promises of one attempt to grant one claim, on all its buckets. All of them, or none, count.",
    },
    forced: { type: "boolean", description: "Made without a limit check, for an object that exists already." },
    expirationTime: {
      type: "string",
      format: "date-time",
      description: "When the promise should be settled, for people to read. It is kept all the same.",
    },
  },
} as const satisfies Schema;

const contributingGrantSchema = {
  type: "object",
  required: ["name", "amount", "lastObservedGeneration"],
  properties: {
    name: { type: "string", maxLength: 253, description: "Name of the grant." },
    namespace: { type: "string", maxLength: 63, description: "Namespace of the grant." },
    amount: { ...amountSchema, description: "What the grant adds to this bucket, in base units." },
    lastObservedGeneration: {
      type: "integer",
      format: "int64",
      description: "Generation of the grant when it was counted.",
    },
  },
} as const satisfies Schema;

const statusSchema = {
  type: "object",
  required: ["limit", "allocated", "available", "claimCount", "grantCount"],
  properties: {
    observedGeneration: observedGenerationSchema,
    limit: { ...amountSchema, description: "What all Active grants give, in base units." },
    allocated: { ...amountSchema, description: "What granted claims hold, in base units." },
    reserved: { ...amountSchema, description: "What is promised to claims whose grant is being written down." },
    available: { ...amountSchema, description: "What one more claim could get now. Never below 0." },
    overage: { ...amountSchema, description: "By how much use exceeds the limit, after a limit was lowered." },
    usedPercent: {
      type: "integer",
      minimum: 0,
      maximum: usedPercentMax,
      description: "Allocated and reserved, in percent of the limit.",
    },
    claimCount: { ...countSchema, description: "How many granted claims hold from this bucket." },
    grantCount: { ...countSchema, description: "How many Active grants give to this bucket." },
    writer: {
      type: "string",
      maxLength: 128,
      description: "Who wrote this status, and its how manieth write it was. Different after every write.",
    },
    reservations: {
      type: "array",
      maxItems: reservationsMax,
      "x-kubernetes-list-type": "atomic",
      items: reservationSchema,
      description: "Open promises.",
    },
    contributingGrantRefs: {
      type: "array",
      maxItems: contributingGrantsMax,
      "x-kubernetes-list-type": "atomic",
      items: contributingGrantSchema,
      description: "The grants behind the limit; the first 50 when there are more. grantCount counts all.",
    },
    lastReconciliation: { type: "string", format: "date-time", description: "When the figures last changed." },
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
  /** Undefined until the first write of the quota system. */
  readonly status: AllowanceBucketStatus | undefined;
  /** Whether the status has fields of an earlier version: what it counts is not to be relied on. */
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

/** `ahead`: capacity that claims may have taken without being counted in `allocated`. */
function hasEarlyFields(value: unknown): boolean {
  const status = isJsonObject(value) ? ownValue(value, "status") : undefined;
  return isJsonObject(status) && ownValue(status, "ahead") !== undefined;
}
