import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import {
  type LabelRequirements,
  type LabelSelector,
  selectorRequirements,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { type Amount, amountOf } from "./fields/amount.ts";
import { conditionsSchema, defaultCondition, observedGenerationSchema } from "./fields/conditions.ts";
import { type ConsumerRef, consumerRefSchema, readConsumerRef } from "./fields/consumer-ref.ts";
import { literalSelectorSchema } from "./fields/dimension-selector.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

export const allowancesMax = 20;
export const bucketsMax = 20;

export const amountSchema = { type: "integer", format: "int64", minimum: 0 } as const satisfies Schema;

const bucketSchema = {
  type: "object",
  required: ["amount"],
  properties: {
    amount: { ...amountSchema, description: "Capacity in base units. 0 is allowed and adds nothing." },
    dimensionSelector: literalSelectorSchema,
  },
} as const satisfies Schema;

const allowanceSchema = {
  type: "object",
  required: ["resourceType", "buckets"],
  properties: {
    resourceType: {
      ...resourceTypeSchema,
      description: "The granted resource type, as in the resourceType of a registration.",
    },
    buckets: {
      type: "array",
      minItems: 1,
      maxItems: bucketsMax,
      "x-kubernetes-list-type": "atomic",
      items: bucketSchema,
      description: "Amounts of capacity, which add up. Each may be limited to requests with certain dimensions.",
    },
  },
} as const satisfies Schema;

const specSchema = {
  type: "object",
  description: "The consumer that receives capacity, and the amounts.",
  required: ["consumerRef", "allowances"],
  properties: {
    consumerRef: { ...consumerRefSchema, description: "The consumer that receives the capacity." },
    allowances: {
      type: "array",
      minItems: 1,
      maxItems: allowancesMax,
      "x-kubernetes-list-type": "atomic",
      items: allowanceSchema,
      description: "Granted capacity by resource type. It counts only while the grant is Active.",
    },
    expiresAt: {
      type: "string",
      format: "date-time",
      description:
        "Time at which the grant stops counting. Claims granted before keep their amounts. Without it, the grant never expires.",
    },
  },
} as const satisfies Schema;

/** The condition of a grant that was not validated yet, or whose registrations were not. */
export const pendingGrant = {
  type: "Active",
  status: "Unknown",
  reason: "GrantPending",
  message: "Awaiting validation by its registrations",
} as const;

const statusSchema = {
  type: "object",
  description: "Whether the capacity counts. Active is Unknown until the quota system has validated the grant.",
  default: { conditions: [defaultCondition(pendingGrant)] },
  properties: {
    observedGeneration: observedGenerationSchema,
    amounts: { type: "string", description: "The granted amounts in display units." },
    conditions: conditionsSchema(
      { Active: ["GrantActive", "ValidationFailed", "GrantPending", "GrantExpired"] },
      "Active tells whether the capacity counts.",
    ),
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description: "Gives a consumer capacity. Several grants for the same consumer and resource type add up.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const resourceGrantDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "ResourceGrant",
  plural: "resourcegrants",
  singular: "resourcegrant",
  shortNames: ["rgrant"],
  categories: ["milo-quota"],
  scope: "Namespaced",
  schema,
  printerColumns: [
    { name: "Consumer", type: "string", jsonPath: ".spec.consumerRef.name" },
    { name: "Amounts", type: "string", jsonPath: ".status.amounts" },
    { name: "Active", type: "string", jsonPath: '.status.conditions[?(@.type=="Active")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Active")].reason', priority: 1 },
    { name: "Expires", type: "string", jsonPath: ".spec.expiresAt", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: ["spec.consumerRef.kind", "spec.consumerRef.name"],
} as const satisfies KindDefinition;

/** An amount of capacity, and the requests that may draw from it. */
export interface GrantBucket {
  readonly amount: Amount;
  /** As in the spec. */
  readonly selector: LabelSelector;
  /** The selector, prepared for matching. */
  readonly requirements: LabelRequirements;
}

export interface Allowance {
  readonly resourceType: string;
  readonly buckets: readonly GrantBucket[];
}

export interface ResourceGrant {
  readonly metadata: ObjectMeta;
  readonly consumer: ConsumerRef;
  readonly allowances: readonly Allowance[];
  readonly expiresAt: string | undefined;
  readonly status: Infer<typeof statusSchema>;
}

const accept = acceptKind(resourceGrantDefinition);

export function parseResourceGrant(value: unknown, old?: unknown): Parsed<ResourceGrant> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { spec, status } = content;
  const grant: ResourceGrant = {
    metadata,
    consumer: readConsumerRef(spec.consumerRef),
    allowances: spec.allowances.map(readAllowance),
    expiresAt: spec.expiresAt,
    status,
  };
  return { ok: true, value: grant };
}

function readAllowance(allowance: Infer<typeof allowanceSchema>): Allowance {
  const buckets = allowance.buckets.map(({ amount, dimensionSelector = {} }) => ({
    amount: amountOf(amount),
    selector: dimensionSelector,
    requirements: selectorRequirements(dimensionSelector),
  }));
  return { resourceType: allowance.resourceType, buckets };
}
