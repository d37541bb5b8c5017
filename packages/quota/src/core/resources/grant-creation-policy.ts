import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import {
  type AmountSource,
  amountExpressionSchema,
  amountOrExpression,
  readAmountSource,
} from "./fields/amount-source.ts";
import { groupSchema, kindSchema } from "./fields/consumer-ref.ts";
import { dimensionSelectorSchema } from "./fields/dimension-selector.ts";
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
import { allowancesMax, amountSchema, bucketsMax } from "./resource-grant.ts";
import { quotaGroup, quotaVersion } from "./well-known.ts";

const bucketTemplateSchema = {
  type: "object",
  properties: {
    amount: { ...amountSchema, description: "Capacity in base units." },
    amountExpression: amountExpressionSchema,
    dimensionSelector: dimensionSelectorSchema(templateSchema),
  },
  "x-kubernetes-validations": [amountOrExpression],
} as const satisfies Schema;

const allowanceTemplateSchema = {
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
      items: bucketTemplateSchema,
      description: "Amounts of capacity, which add up.",
    },
  },
} as const satisfies Schema;

const grantTemplateSchema = {
  type: "object",
  description: "Template of the ResourceGrant to create.",
  required: ["spec"],
  properties: {
    metadata: templateMetadataSchema,
    spec: {
      type: "object",
      description: "Template of the spec of the grant.",
      required: ["consumerRef", "allowances"],
      properties: {
        consumerRef: { ...consumerTemplateSchema, description: "The consumer that receives the capacity." },
        allowances: {
          type: "array",
          minItems: 1,
          maxItems: allowancesMax,
          "x-kubernetes-list-type": "atomic",
          items: allowanceTemplateSchema,
          description: "Capacity to grant, by resource type.",
        },
      },
    },
  },
} as const satisfies Schema;

const parentContextSchema = {
  type: "object",
  description: "The control plane to create the grant in. Defaults to the control plane of the trigger object.",
  required: ["apiGroup", "kind", "nameExpression"],
  properties: {
    apiGroup: { ...groupSchema, minLength: 1, description: "API group of the object that has the control plane." },
    kind: { ...kindSchema, description: "Kind of the object that has the control plane, such as Organization." },
    nameExpression: {
      type: "string",
      minLength: 1,
      maxLength: 512,
      description:
        "A CEL expression over the trigger that gives the object's name, such as trigger.spec.ownerRef.name.",
    },
  },
} as const satisfies Schema;

const specSchema = {
  type: "object",
  description: "The objects that entitle to quota, and the grant to create for each of them.",
  required: ["trigger", "target"],
  properties: {
    ...switchProperties,
    trigger: triggerSchema,
    target: {
      type: "object",
      description: "The grant to create for each object that matches the trigger.",
      required: ["resourceGrantTemplate"],
      properties: { parentContext: parentContextSchema, resourceGrantTemplate: grantTemplateSchema },
    },
  },
  "x-kubernetes-validations": [switchRule],
} as const satisfies Schema;

const statusSchema = {
  type: "object",
  description: "Whether the policy is valid and in effect.",
  properties: policyStatusProperties(
    {
      Ready: ["PolicyReady", "ValidationFailed", "PolicyDisabled"],
      // Earlier versions stored the last one for policies without a parent context.
      ParentContextReady: ["ParentContextResolved", "ParentContextUnresolved", "ParentContextNotRequired"],
    },
    "Ready is True while the policy is in effect. ParentContextReady, of policies with a parentContext, tells whether the " +
      "objects that it names exist and their control planes can be reached.",
  ),
} as const satisfies Schema;

const schema = {
  type: "object",
  description: "Grants quota for objects of a kind while conditions hold, and takes it back when they no longer do.",
  required: ["spec"],
  properties: { spec: specSchema, status: statusSchema },
} as const satisfies Schema;

export const grantCreationPolicyDefinition = {
  group: quotaGroup,
  version: quotaVersion,
  kind: "GrantCreationPolicy",
  plural: "grantcreationpolicies",
  singular: "grantcreationpolicy",
  shortNames: ["gcpolicy"],
  categories: ["milo-quota"],
  scope: "Cluster",
  schema,
  printerColumns: [
    { name: "Trigger", type: "string", jsonPath: ".spec.trigger.resource.kind" },
    { name: "Enabled", type: "boolean", jsonPath: ".status.enabled" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: "Parent", type: "string", jsonPath: ".spec.target.parentContext.kind", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [
    "spec.trigger.resource.kind",
    "spec.trigger.resource.apiVersion",
    "spec.target.parentContext.kind",
    "spec.target.parentContext.apiGroup",
    "spec.enabled",
    "status.enabled",
  ],
} as const satisfies KindDefinition;

export interface BucketTemplate {
  readonly amount: AmountSource;
  /** Values are templates. */
  readonly selector: LabelSelector;
}

export interface AllowanceTemplate {
  readonly resourceType: string;
  readonly buckets: readonly BucketTemplate[];
}

/** The control plane of another object, whose name is an expression over the trigger. */
export interface ParentContext {
  readonly apiGroup: string;
  readonly kind: string;
  readonly nameExpression: string;
}

export interface GrantCreationPolicy {
  readonly metadata: ObjectMeta;
  readonly enabled: boolean;
  readonly trigger: PolicyTrigger;
  readonly parentContext: ParentContext | undefined;
  readonly template: {
    readonly metadata: MetadataTemplate;
    readonly consumer: ConsumerTemplate;
    readonly allowances: readonly AllowanceTemplate[];
  };
  readonly status: Infer<typeof statusSchema>;
}

const accept = acceptKind(grantCreationPolicyDefinition);

export function parseGrantCreationPolicy(value: unknown, old?: unknown): Parsed<GrantCreationPolicy> {
  const accepted = accept(value, old);
  if (!accepted.ok) return accepted;
  const { metadata, content } = accepted.value;
  const { spec, status = {} } = content;
  const policy: GrantCreationPolicy = {
    metadata,
    enabled: isEnabled(spec),
    trigger: readTrigger(spec.trigger),
    parentContext: spec.target.parentContext,
    template: readTemplate(spec.target.resourceGrantTemplate),
    status,
  };
  return { ok: true, value: policy };
}

function readTemplate(template: Infer<typeof grantTemplateSchema>): GrantCreationPolicy["template"] {
  return {
    metadata: readMetadataTemplate(template.metadata),
    consumer: readConsumerTemplate(template.spec.consumerRef),
    allowances: template.spec.allowances.map(({ resourceType, buckets }) => ({
      resourceType,
      buckets: buckets.map((bucket) => ({
        amount: readAmountSource(bucket),
        selector: bucket.dimensionSelector ?? {},
      })),
    })),
  };
}
