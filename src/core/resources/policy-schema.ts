import type { Infer } from "../../schema/infer.ts";
import type { Schema, ValidationRule } from "../../schema/structural-schema.ts";
import { type Amount, amountOf } from "./amount.ts";
import { conditionsSchema, observedGenerationSchema } from "./conditions.ts";
import { groupSchema, kindSchema } from "./consumer-ref.ts";
import { has } from "./reading.ts";

/** What claim and grant policies have in common: a trigger, a switch, and templates for metadata. */

const expressionLengthMax = 1024;
const templateLengthMax = 1024;
const conditionsMax = 10;

/** A text that may hold `{{ … }}`. */
export const templateSchema = { type: "string", maxLength: templateLengthMax } as const satisfies Schema;

export const amountExpressionSchema = {
  type: "string",
  minLength: 1,
  maxLength: expressionLengthMax,
  description: "How much, as a CEL expression over the trigger that gives an int, in base units. In place of amount.",
} as const satisfies Schema;

const constraintsSchema = {
  type: "array",
  maxItems: conditionsMax,
  "x-kubernetes-list-type": "atomic",
  items: {
    type: "object",
    required: ["expression"],
    properties: {
      expression: {
        type: "string",
        minLength: 1,
        maxLength: expressionLengthMax,
        description:
          'A CEL expression that gives true or false, such as trigger.spec.tier == "premium". A field or key that is ' +
          "not there makes it false.",
      },
      message: { type: "string", maxLength: 256, description: "What the expression is for, for people." },
    },
  },
} as const satisfies Schema;

const oneSpelling = (first: string, second: string): ValidationRule => ({
  rule: `!has(self.${first}) || !has(self.${second})`,
  message: `give one of ${first} and ${second}; they mean the same`,
  reason: "FieldValueForbidden",
  fieldPath: `.${second}`,
  holds: (self) => !has(self, first) || !has(self, second),
});

export const triggerSchema = {
  type: "object",
  description: "The objects this policy is about.",
  required: ["resource"],
  properties: {
    resource: {
      type: "object",
      description: "Their kind. Objects are recognized whatever version they are written in.",
      required: ["apiVersion", "kind"],
      properties: {
        apiVersion: {
          type: "string",
          minLength: 1,
          maxLength: 317,
          pattern:
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
          description: "Group and version, such as resourcemanager.miloapis.com/v1alpha1; v1 for the core group.",
        },
        kind: { ...kindSchema, description: "Kind, such as Project." },
      },
    },
    constraints: { ...constraintsSchema, description: "Which of them: all expressions must be true." },
    conditions: { ...constraintsSchema, description: "Another spelling of constraints. Give one of the two." },
  },
  "x-kubernetes-validations": [oneSpelling("constraints", "conditions")],
} as const satisfies Schema;

export const switchProperties = {
  disabled: { type: "boolean", description: "Set to true to switch the policy off." },
  enabled: { type: "boolean", description: "Another spelling of the opposite of disabled. Give one of the two." },
} as const satisfies Readonly<Record<string, Schema>>;

export const switchRule = oneSpelling("disabled", "enabled");

export const templateMetadataSchema = {
  type: "object",
  description: "Metadata of what is made.",
  properties: {
    name: {
      ...templateSchema,
      description: "Name, as a template. One that is the same for every retry when left out.",
    },
    generateName: { ...templateSchema, description: "What a name that is left out starts with, as a template." },
    namespace: {
      ...templateSchema,
      description: "Namespace, as a template. The namespace of the trigger when left out.",
    },
    labels: {
      type: "object",
      maxProperties: 64,
      additionalProperties: { type: "string", maxLength: 63, pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$" },
      description: "Labels, taken as they are: no templates.",
    },
    annotations: {
      type: "object",
      maxProperties: 64,
      additionalProperties: templateSchema,
      description: "Annotations, whose values are templates.",
    },
  },
} as const satisfies Schema;

/** A consumer in a template: its kind is fixed, its name comes from the trigger. */
export const consumerTemplateSchema = {
  type: "object",
  required: ["kind", "name"],
  properties: {
    apiGroup: { ...groupSchema, description: "API group of the consumer. Empty for the core group." },
    kind: { ...kindSchema, description: "Kind of the consumer, such as Organization." },
    name: { ...templateSchema, minLength: 1, description: "Name of the consumer, as a template." },
    namespace: { ...templateSchema, description: "Namespace of the consumer, as a template." },
  },
} as const satisfies Schema;

export const amountOrExpression: ValidationRule = {
  rule: "has(self.amount) != has(self.amountExpression)",
  message: "give exactly one of amount and amountExpression",
  fieldPath: ".amount",
  holds: (self) => has(self, "amount") !== has(self, "amountExpression"),
};

export function policyStatusProperties(reasons: Readonly<Record<string, readonly string[]>>, description: string) {
  return {
    observedGeneration: observedGenerationSchema,
    enabled: { type: "boolean", description: "Whether the policy is switched on, whichever way the spec spells it." },
    conditions: conditionsSchema(reasons, description),
  } as const satisfies Readonly<Record<string, Schema>>;
}

/** A number, or an expression that gives one. */
export type AmountSource =
  | { readonly kind: "fixed"; readonly amount: Amount }
  | { readonly kind: "expression"; readonly expression: string };

export function readAmountSource(value: {
  readonly amount?: number | bigint;
  readonly amountExpression?: string;
}): AmountSource {
  return value.amountExpression === undefined
    ? { kind: "fixed", amount: amountOf(value.amount ?? 0) }
    : { kind: "expression", expression: value.amountExpression };
}

/** Metadata before it is rendered; undefined where the template leaves a field to us. */
export interface MetadataTemplate {
  readonly name: string | undefined;
  readonly generateName: string | undefined;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** An empty text leaves the field to us, as leaving it out does. */
export function readMetadataTemplate(metadata: Infer<typeof templateMetadataSchema> = {}): MetadataTemplate {
  const { name, generateName, namespace, labels = {}, annotations = {} } = metadata;
  return {
    name: name || undefined,
    generateName: generateName || undefined,
    namespace: namespace || undefined,
    labels,
    annotations,
  };
}

/** A consumer before it is rendered. */
export interface ConsumerTemplate {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export function readConsumerTemplate(consumer: Infer<typeof consumerTemplateSchema>): ConsumerTemplate {
  const { apiGroup = "", kind, name, namespace = "" } = consumer;
  return { apiGroup, kind, name, namespace };
}

export interface TriggerConstraint {
  readonly expression: string;
  readonly message: string;
}

/** The objects a policy is about. */
export interface PolicyTrigger {
  readonly apiVersion: string;
  readonly kind: string;
  /** How the spec spells its list, for issues to point to it. */
  readonly constraintsField: "constraints" | "conditions";
  readonly constraints: readonly TriggerConstraint[];
}

export function readTrigger(trigger: Infer<typeof triggerSchema>): PolicyTrigger {
  const { resource, constraints, conditions } = trigger;
  return {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    constraintsField: conditions === undefined ? "constraints" : "conditions",
    constraints: (constraints ?? conditions ?? []).map(({ expression, message = "" }) => ({ expression, message })),
  };
}

export function isEnabled(spec: { readonly disabled?: boolean; readonly enabled?: boolean }): boolean {
  return spec.enabled ?? spec.disabled !== true;
}
