import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { type Amount, amountOf } from "./fields/amount.ts";
import { conditionsSchema, defaultCondition, observedGenerationSchema } from "./fields/conditions.ts";
import {
  type ConsumerRef,
  consumerRefSchema,
  groupSchema,
  kindSchema,
  nameSchema,
  namespaceSchema,
  readConsumerRef,
} from "./fields/consumer-ref.ts";
import { type Dimensions, dimensionKey, dimensionsSchema } from "./fields/dimensions.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import { field, items } from "./parsing/json-fields.ts";
import { parseOnce } from "./parsing/parse-cache.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { amountSchema } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

export const requestsMax = 20;

const requestSchema = {
  type: "object",
  required: ["resourceType", "amount"],
  properties: {
    resourceType: {
      ...resourceTypeSchema,
      description: "The requested resource type, as in the resourceType of a registration.",
    },
    amount: { ...amountSchema, description: "The requested amount, in base units. A claim for 0 is rejected." },
    dimensions: {
      ...dimensionsSchema,
      description: "Dimensions of the request, such as a location. Grants select requests by them.",
    },
  },
} as const satisfies Schema;

const resourceRefSchema = {
  type: "object",
  required: ["kind", "name"],
  properties: {
    apiGroup: { ...groupSchema, description: "API group of the object. Empty for the core group." },
    kind: { ...kindSchema, description: "Kind of the object." },
    name: { ...nameSchema, description: "Name of the object." },
    namespace: { ...namespaceSchema, description: "Namespace of the object. Empty when it is not in one." },
  },
} as const satisfies Schema;

const uniqueRequestsRule: ValidationRule = {
  rule:
    "self.all(r, self.exists_one(o, o.resourceType == r.resourceType && " +
    "(has(o.dimensions) ? o.dimensions : {}) == (has(r.dimensions) ? r.dimensions : {})))",
  message: "a resourceType can be requested only once for each set of dimensions",
  holds: (self) => {
    const requests = items(self);
    if (requests.length > requestsMax) return true;
    return requests.every((request, at) => !requests.slice(0, at).some((earlier) => asksTheSame(earlier, request)));
  },
};

const specSchema = {
  type: "object",
  description: "The consumer whose quota is claimed, and the amounts.",
  required: ["consumerRef", "requests"],
  properties: {
    consumerRef: { ...consumerRefSchema, description: "The consumer whose quota is claimed." },
    requests: {
      type: "array",
      minItems: 1,
      maxItems: requestsMax,
      "x-kubernetes-list-type": "atomic",
      items: requestSchema,
      "x-kubernetes-validations": [uniqueRequestsRule],
      description: "The requested amounts, granted all together or not at all.",
    },
    resourceRef: {
      ...resourceRefSchema,
      description:
        "The object this claim is for. Its kind must be listed in claimingResources of every registration asked for. " +
        "Optional for claims created by hand.",
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "self == oldSelf",
      message: "a claim is immutable: delete it and create another",
      reason: "FieldValueForbidden",
      holds: (self, oldSelf) => oldSelf === undefined || jsonEquals(self, oldSelf),
    },
  ],
} as const satisfies Schema;

const allocationSchema = {
  type: "object",
  required: ["resourceType", "status", "lastTransitionTime"],
  properties: {
    resourceType: {
      ...resourceTypeSchema,
      description: "Resource type of the request that this allocation belongs to.",
    },
    dimensions: { ...dimensionsSchema, description: "Dimensions of the request. Absent when it has none." },
    status: {
      type: "string",
      enum: ["Granted", "Denied", "Pending"],
      description: "Whether the request is granted, denied or still pending.",
    },
    reason: {
      type: "string",
      maxLength: 1024,
      description: "Reason of the status in one CamelCase word, for programs.",
    },
    message: {
      type: "string",
      maxLength: 32768,
      description: "Explanation of the status with the numbers, for people.",
    },
    allocatedAmount: { ...amountSchema, description: "Amount that the claim holds, in base units. 0 unless granted." },
    limit: {
      ...amountSchema,
      description:
        "The limit that the request exceeded, in base units; 0 without any grant. Absent for a request that fits.",
    },
    allocatingBucket: {
      type: "string",
      maxLength: 253,
      description: "Name of the AllowanceBucket that the amount is allocated from.",
    },
    lastTransitionTime: { type: "string", format: "date-time", description: "Time of the last change of the status." },
  },
} as const satisfies Schema;

const pendingCondition = defaultCondition({
  type: "Granted",
  status: "False",
  reason: "PendingEvaluation",
  message: "Awaiting capacity evaluation",
});

const claimPhases = ["Pending", "Granted", "Denied", "Invalid"] as const;
export type ClaimPhase = (typeof claimPhases)[number];

const statusSchema = {
  type: "object",
  description: "The outcome of the claim: pending at first, decided once.",
  default: { phase: "Pending", conditions: [pendingCondition] },
  properties: {
    observedGeneration: observedGenerationSchema,
    phase: {
      type: "string",
      enum: claimPhases,
      description:
        "Pending until the claim is decided. Granted and Denied are final. An Invalid claim is evaluated again when its " +
        "registrations change. Use it in field selectors.",
    },
    amounts: {
      type: "string",
      description: "The requested amounts in display units. Of a claim that was lowered, the amounts that it holds.",
    },
    consumerUID: {
      type: "string",
      maxLength: 128,
      description:
        "UID that the consumer had when the claim was decided. A claim without an object is deleted when this consumer is " +
        "gone. Absent if the consumer did not exist, or was not known.",
    },
    allocations: {
      type: "array",
      maxItems: requestsMax,
      "x-kubernetes-list-type": "atomic",
      items: allocationSchema,
      description: "The outcome of each request.",
    },
    conditions: conditionsSchema(
      { Granted: ["QuotaAvailable", "QuotaExceeded", "ValidationFailed", "PendingEvaluation"] },
      "Granted is the outcome of the claim as a whole.",
    ),
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description: "Requests quota, and holds it until the claim is deleted. Granted as a whole or not at all.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const resourceClaimDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "ResourceClaim",
  plural: "resourceclaims",
  singular: "resourceclaim",
  shortNames: ["rclaim"],
  categories: ["milo-quota"],
  scope: "Namespaced",
  schema,
  printerColumns: [
    { name: "Granted", type: "string", jsonPath: '.status.conditions[?(@.type=="Granted")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Granted")].reason' },
    { name: "Phase", type: "string", jsonPath: ".status.phase", priority: 1 },
    { name: "Consumer", type: "string", jsonPath: ".spec.consumerRef.name" },
    { name: "Resource", type: "string", jsonPath: ".spec.resourceRef.name" },
    { name: "Amounts", type: "string", jsonPath: ".status.amounts" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [
    "spec.consumerRef.kind",
    "spec.consumerRef.name",
    "spec.resourceRef.apiGroup",
    "spec.resourceRef.kind",
    "spec.resourceRef.name",
    "spec.resourceRef.namespace",
    "status.phase",
  ],
} as const satisfies KindDefinition;

export interface ClaimRequest {
  readonly resourceType: string;
  readonly amount: Amount;
  readonly dimensions: Dimensions;
  /** Identifies the dimensions, independent of their order. */
  readonly dimensionKey: string;
}

/** The object a claim is for. */
export interface ResourceRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The phase that the Granted condition of a claim implies. */
export const phaseOfState: Readonly<Record<ClaimDecision["state"], ClaimPhase>> = {
  pending: "Pending",
  granted: "Granted",
  denied: "Denied",
  invalid: "Invalid",
};

export interface ClaimAllocation {
  readonly resourceType: string;
  readonly dimensionKey: string;
  readonly amount: Amount;
}

/** Granted and denied are final. An invalid claim is evaluated again when its registrations change. */
export type ClaimDecision =
  | { readonly state: "pending" }
  | { readonly state: "invalid" }
  | { readonly state: "denied" }
  | { readonly state: "granted"; readonly allocations: readonly ClaimAllocation[] };

export interface ResourceClaim {
  readonly metadata: ObjectMeta;
  readonly consumer: ConsumerRef;
  readonly requests: readonly ClaimRequest[];
  /** Undefined for a claim without resourceRef. */
  readonly resource: ResourceRef | undefined;
  readonly decision: ClaimDecision;
  readonly status: Infer<typeof statusSchema>;
}

type Request = Infer<typeof requestSchema>;

const accept = acceptKind(resourceClaimDefinition);

const readNew = parseOnce((value) => readClaim(value));

export function parseResourceClaim(value: unknown, old?: unknown): Parsed<ResourceClaim> {
  return old === undefined ? readNew(value) : readClaim(value, old);
}

function readClaim(value: unknown, old?: unknown): Parsed<ResourceClaim> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { spec, status } = content;
  const claim: ResourceClaim = {
    metadata,
    consumer: readConsumerRef(spec.consumerRef),
    requests: spec.requests.map(readRequest),
    resource: spec.resourceRef === undefined ? undefined : readConsumerRef(spec.resourceRef),
    decision: readDecision(status, spec.requests),
    status,
  };
  return { ok: true, value: claim };
}

function readRequest(request: Request): ClaimRequest {
  const { resourceType, amount, dimensions = {} } = request;
  return { resourceType, amount: amountOf(amount), dimensions, dimensionKey: dimensionKey(dimensions) };
}

function readDecision(status: Infer<typeof statusSchema>, requests: readonly Request[]): ClaimDecision {
  const condition = findCondition(status.conditions, "Granted");
  if (condition?.status === "True") return { state: "granted", allocations: readAllocations(status, requests) };
  switch (condition?.reason) {
    case "QuotaExceeded":
      return { state: "denied" };
    case "ValidationFailed":
      return { state: "invalid" };
    default:
      return { state: "pending" };
  }
}

/**
 * Allocations are in the order of the requests. An allocation without dimensions has those of its request, because earlier
 * versions did not store them.
 */
function readAllocations(status: Infer<typeof statusSchema>, requests: readonly Request[]): readonly ClaimAllocation[] {
  return (status.allocations ?? []).map(({ resourceType, dimensions, allocatedAmount = 0 }, at) => {
    const request = requests[at]?.resourceType === resourceType ? requests[at] : undefined;
    return {
      resourceType,
      dimensionKey: dimensionKey(dimensions ?? request?.dimensions ?? {}),
      amount: amountOf(allocatedAmount),
    };
  });
}

function asksTheSame(one: JsonValue, other: JsonValue): boolean {
  const of = (request: JsonValue, name: string): JsonValue => field(request, name) ?? null;
  const sameType = jsonEquals(of(one, "resourceType"), of(other, "resourceType"));
  return sameType && jsonEquals(field(one, "dimensions") ?? {}, field(other, "dimensions") ?? {});
}
