import type { Condition, ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { field, items } from "../parsing/json-fields.ts";

export const observedGenerationSchema = {
  type: "integer",
  format: "int64",
  description: "The generation this status was computed from.",
} as const satisfies Schema;

const conditionSchema = {
  type: "object",
  required: ["type", "status", "reason", "message", "lastTransitionTime"],
  properties: {
    type: {
      type: "string",
      description: "Type of the condition, in CamelCase.",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
    status: {
      type: "string",
      description: "Status of the condition: True, False, or Unknown.",
      enum: ["True", "False", "Unknown"],
    },
    reason: {
      type: "string",
      description: "Reason of the status in one CamelCase word, for programs.",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", description: "Explanation of the status, for people. May be empty.", maxLength: 32768 },
    lastTransitionTime: {
      type: "string",
      description: "Time of the last change of the status.",
      format: "date-time",
    },
    observedGeneration: {
      type: "integer",
      description: "The metadata.generation this condition was computed from; older than the object means outdated.",
      format: "int64",
      minimum: 0,
    },
  },
} as const satisfies Schema;

/** Transition time of default conditions: a schema default cannot contain the current time. */
const defaultTransitionTime = "1970-01-01T00:00:00Z";

/** The default condition of a kind, until a controller has reconciled the object. */
export function defaultCondition<const State extends ConditionState>(state: State) {
  return { ...state, lastTransitionTime: defaultTransitionTime } as const;
}

/** Conditions written by a controller, without defaults. */
export function reportedConditions(conditions: readonly Condition[] = []): readonly Condition[] {
  return conditions.filter(({ lastTransitionTime }) => lastTransitionTime !== defaultTransitionTime);
}

/** The conditions of a kind; those named here may only give the reasons listed for them. */
export function conditionsSchema(reasons: Readonly<Record<string, readonly string[]>>, description: string) {
  return {
    type: "array",
    description,
    maxItems: 16,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: conditionSchema,
    "x-kubernetes-validations": Object.entries(reasons).map(([type, allowed]) => reasonRule(type, allowed)),
  } as const satisfies Schema;
}

function reasonRule(type: string, reasons: readonly string[]): ValidationRule {
  const list = reasons.map((reason) => `'${reason}'`).join(", ");
  return {
    rule: `self.all(c, c.type != '${type}' || c.reason in [${list}])`,
    message: `the reason of condition ${type} must be one of ${reasons.join(", ")}`,
    holds: (self) => {
      const given = items(self).filter((condition) => field(condition, "type") === type);
      return given.every((condition) => [...reasons, undefined].includes(field(condition, "reason") as string));
    },
  };
}
