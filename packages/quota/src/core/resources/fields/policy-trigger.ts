import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { aliasRule } from "../parsing/alias-rule.ts";
import { kindSchema } from "./consumer-ref.ts";

export const expressionLengthMax = 1024;
const constraintsMax = 10;

const constraintsSchema = {
  type: "array",
  maxItems: constraintsMax,
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
      message: { type: "string", maxLength: 256, description: "Purpose of the expression, for people." },
    },
  },
} as const satisfies Schema;

export const triggerSchema = {
  type: "object",
  description: "Selects the objects that this policy applies to.",
  required: ["resource"],
  properties: {
    resource: {
      type: "object",
      description: "Kind of the objects. The policy applies to every version of it.",
      required: ["apiVersion", "kind"],
      properties: {
        apiVersion: {
          type: "string",
          minLength: 1,
          maxLength: 317,
          pattern:
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
          description:
            "API group and version of the objects, such as resourcemanager.miloapis.com/v1alpha1; v1 for the core group.",
        },
        kind: { ...kindSchema, description: "Kind of the objects, such as Project." },
      },
    },
    constraints: {
      ...constraintsSchema,
      description: "Conditions on the objects: the policy applies if all expressions are true.",
    },
    conditions: { ...constraintsSchema, description: "Alias of constraints. Set only one of the two." },
  },
  "x-kubernetes-validations": [aliasRule("constraints", "conditions")],
} as const satisfies Schema;

export interface TriggerConstraint {
  readonly expression: string;
  readonly message: string;
}

/** The objects that a policy applies to. */
export interface PolicyTrigger {
  readonly apiVersion: string;
  readonly kind: string;
  /** The alias that the spec uses, for the paths of issues. */
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
