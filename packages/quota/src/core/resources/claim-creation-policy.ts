import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { countSchema } from "./allowance-bucket.ts";
import {
  type AmountSource,
  amountExpressionSchema,
  amountOrExpression,
  readAmountSource,
} from "./fields/amount-source.ts";
import { dimensionsMax } from "./fields/dimensions.ts";
import { isEnabled, policyStatusProperties, switchProperties, switchRule } from "./fields/policy-switch.ts";
import { type PolicyTrigger, readTrigger, triggerSchema } from "./fields/policy-trigger.ts";
import { resourceTypeSchema } from "./fields/resource-type-schema.ts";
import {
  type ConsumerTemplate,
  consumerTemplateSchema,
  type MetadataTemplate,
  readConsumerTemplate,
  readMetadataTemplate,
  templateMetadataSchema,
  templateSchema,
} from "./fields/template-schema.ts";
import { acceptKind } from "./parsing/parse-kind.ts";
import { requestsMax } from "./resource-claim.ts";
import { amountSchema } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

const requestTemplateSchema = {
  type: "object",
  required: ["resourceType"],
  properties: {
    resourceType: {
      ...resourceTypeSchema,
      description: "The requested resource type, as in the resourceType of a registration.",
    },
    amount: { ...amountSchema, description: "The requested amount, in base units." },
    amountExpression: amountExpressionSchema,
    dimensions: {
      type: "object",
      maxProperties: dimensionsMax,
      additionalProperties: templateSchema,
      description: "Dimensions of the request. Values are templates.",
    },
  },
  "x-kubernetes-validations": [amountOrExpression],
} as const satisfies Schema;

/** Accepted for manifests that fill it in; the claim always gets the object that triggered it. */
const resourceRefTemplateSchema = {
  type: "object",
  description: "Set by the quota system to the object that triggered the policy. Values given here are ignored.",
  properties: {
    apiGroup: { ...templateSchema, description: "API group of the object. Ignored." },
    kind: { ...templateSchema, description: "Kind of the object. Ignored." },
    name: { ...templateSchema, description: "Name of the object. Ignored." },
    namespace: { ...templateSchema, description: "Namespace of the object. Ignored." },
  },
} as const satisfies Schema;

const claimTemplateSchema = {
  type: "object",
  description: "Template of the ResourceClaim to create.",
  required: ["spec"],
  properties: {
    metadata: templateMetadataSchema,
    spec: {
      type: "object",
      description: "Template of the spec of the claim.",
      required: ["requests"],
      properties: {
        consumerRef: {
          ...consumerTemplateSchema,
          description:
            "The consumer whose quota is claimed. Defaults to the project of the control plane the object is created in; in the " +
            "root, the organization that owns the Project, or whose namespace the object is in.",
        },
        requests: {
          type: "array",
          minItems: 1,
          maxItems: requestsMax,
          "x-kubernetes-list-type": "atomic",
          items: requestTemplateSchema,
          description: "Amounts to claim. A request whose amount evaluates to 0 is dropped.",
        },
        resourceRef: resourceRefTemplateSchema,
      },
    },
  },
} as const satisfies Schema;

const specSchema = {
  type: "object",
  description: "The objects that need quota, and the claim to create for each of them.",
  required: ["trigger", "target"],
  properties: {
    ...switchProperties,
    trigger: triggerSchema,
    target: {
      type: "object",
      description: "The claim to create for each object that matches the trigger.",
      required: ["resourceClaimTemplate"],
      properties: { resourceClaimTemplate: claimTemplateSchema },
    },
    mode: {
      type: "string",
      enum: ["Enforce", "Shadow"],
      default: "Enforce",
      description: "Enforce rejects requests over quota. Shadow only reports what Enforce would reject.",
    },
    failurePolicy: {
      type: "string",
      enum: ["Fail", "Ignore"],
      default: "Fail",
      description:
        "What to do when the quota system cannot decide: Fail rejects the request, Ignore admits the object and counts it later.",
    },
    existingObjects: {
      type: "string",
      enum: ["Ignore", "Adopt"],
      default: "Ignore",
      description:
        "What to do with objects that are older than the policy: Ignore does not count them, Adopt counts them, even over the limit. " +
        "A policy that uses user or requestInfo does not apply to existing objects, because there is no request.",
    },
  },
  "x-kubernetes-validations": [switchRule],
} as const satisfies Schema;

/** The reasons of the condition Enforced. */
const enforcedReasons = [
  "PolicyEnforced",
  "EarlierGenerationEnforced",
  "PolicyBroken",
  "NotReady",
  "PolicyDisabled",
  "SystemShadow",
  "SystemOff",
] as const;

const enforcedSchema = {
  type: "object",
  description:
    "The generation of the policy that decides about objects. It goes on deciding while a later generation is not ready.",
  required: ["generation", "since", "spec"],
  properties: {
    generation: { type: "integer", format: "int64", minimum: 0, description: "Its metadata.generation." },
    since: {
      type: "string",
      format: "date-time",
      description: "Since when its trigger is enforced. Objects created earlier are existing objects.",
    },
    spec: {
      type: "object",
      description: "The spec of the policy in that generation.",
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
} as const satisfies Schema;

const statusSchema = {
  type: "object",
  description: "Whether the policy is valid and in effect.",
  properties: {
    ...policyStatusProperties(
      {
        Ready: ["PolicyReady", "ValidationFailed", "PolicyDisabled"],
        Enforced: enforcedReasons,
        TypeChecked: ["TypesMatch", "TypeIssues", "SchemaUnknown"],
      },
      "Ready says whether the policy as written can work, Enforced whether a generation of it decides about objects, and " +
        "TypeChecked whether the fields that it uses exist in the schema of its trigger kind.",
    ),
    enforced: enforcedSchema,
    existingObjectCount: {
      ...countSchema,
      description:
        "Number of matching objects that are older than the policy and have no claim; Adopt would count them.",
    },
  },
} as const satisfies Schema;

const schema = {
  type: "object",
  description: "Claims quota for objects of a kind when they are created, and rejects those that do not fit.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const claimCreationPolicyDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "ClaimCreationPolicy",
  plural: "claimcreationpolicies",
  singular: "claimcreationpolicy",
  shortNames: ["ccpolicy"],
  categories: ["milo-quota"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Trigger", type: "string", jsonPath: ".spec.trigger.resource.kind" },
    { name: "Mode", type: "string", jsonPath: ".spec.mode" },
    { name: "Enabled", type: "boolean", jsonPath: ".status.enabled" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    {
      name: "Enforced",
      type: "string",
      priority: 1,
      jsonPath: '.status.conditions[?(@.type=="Enforced")].status',
    },
    { name: "Existing", type: "integer", priority: 1, jsonPath: ".status.existingObjectCount" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [
    "spec.trigger.resource.kind",
    "spec.trigger.resource.apiVersion",
    "spec.enabled",
    "status.enabled",
  ],
} as const satisfies KindDefinition;

export interface RequestTemplate {
  readonly resourceType: string;
  readonly amount: AmountSource;
  /** Values are templates. */
  readonly dimensions: Readonly<Record<string, string>>;
}

export interface ClaimCreationPolicy {
  readonly metadata: ObjectMeta;
  /** As stored. */
  readonly spec: JsonObject;
  readonly enabled: boolean;
  readonly trigger: PolicyTrigger;
  readonly mode: "Enforce" | "Shadow";
  readonly failurePolicy: "Fail" | "Ignore";
  readonly existingObjects: "Ignore" | "Adopt";
  readonly template: {
    readonly metadata: MetadataTemplate;
    /** Undefined: the tenant of the object. */
    readonly consumer: ConsumerTemplate | undefined;
    readonly requests: readonly RequestTemplate[];
  };
  readonly status: Infer<typeof statusSchema>;
}

const accept = acceptKind(claimCreationPolicyDefinition);

export function parseClaimCreationPolicy(value: unknown, old?: unknown): Parsed<ClaimCreationPolicy> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { spec, status = {} } = content;
  const policy: ClaimCreationPolicy = {
    metadata,
    spec: spec as JsonObject,
    enabled: isEnabled(spec),
    trigger: readTrigger(spec.trigger),
    mode: spec.mode,
    failurePolicy: spec.failurePolicy,
    existingObjects: spec.existingObjects,
    template: readTemplate(spec.target.resourceClaimTemplate),
    status,
  };
  return { ok: true, value: policy };
}

function readTemplate(template: Infer<typeof claimTemplateSchema>): ClaimCreationPolicy["template"] {
  const { consumerRef, requests } = template.spec;
  return {
    metadata: readMetadataTemplate(template.metadata),
    consumer: consumerRef === undefined ? undefined : readConsumerTemplate(consumerRef),
    requests: requests.map((request) => ({
      resourceType: request.resourceType,
      amount: readAmountSource(request),
      dimensions: request.dimensions ?? {},
    })),
  };
}
