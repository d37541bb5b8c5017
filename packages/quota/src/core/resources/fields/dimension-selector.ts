import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { field, items } from "../parsing/json-fields.ts";
import { dimensionsMax, dimensionValueSchema } from "./dimensions.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

const valuesRule: ValidationRule = {
  rule:
    "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : " +
    "!has(self.values) || size(self.values) == 0",
  message: "In and NotIn need values; Exists and DoesNotExist take none",
  fieldPath: ".values",
  holds: (self) => {
    const count = items(field(self, "values")).length;
    switch (field(self, "operator")) {
      case "In":
      case "NotIn":
        return count > 0;
      case "Exists":
      case "DoesNotExist":
        return count === 0;
      default:
        return true;
    }
  },
};

/** A LabelSelector over dimensions. `value` is the schema of its values. */
export function dimensionSelectorSchema<Value extends Schema>(value: Value) {
  return {
    type: "object",
    description:
      "Selects the requests that may draw from this capacity, by their dimensions. Empty selects all requests.",
    properties: {
      matchLabels: {
        type: "object",
        maxProperties: dimensionsMax,
        additionalProperties: value,
        description: "Dimensions and the value each must have.",
      },
      matchExpressions: {
        type: "array",
        maxItems: 20,
        "x-kubernetes-list-type": "atomic",
        description: "Requirements on dimensions, all of which must hold.",
        items: {
          type: "object",
          required: ["key", "operator"],
          properties: {
            key: { type: "string", minLength: 1, maxLength: 317, description: "Name of the dimension." },
            operator: { type: "string", enum: operators, description: "How the dimension relates to the values." },
            values: {
              type: "array",
              maxItems: 100,
              "x-kubernetes-list-type": "atomic",
              items: value,
              description: "Values for In and NotIn; Exists and DoesNotExist take none.",
            },
          },
          "x-kubernetes-validations": [valuesRule],
        },
      },
    },
  } as const satisfies Schema;
}

export const literalSelectorSchema = dimensionSelectorSchema(dimensionValueSchema);

/** The names of the dimensions in a selector. */
export function selectedDimensions(selector: LabelSelector): readonly string[] {
  const expressions = selector.matchExpressions ?? [];
  return [...new Set([...Object.keys(selector.matchLabels ?? {}), ...expressions.map(({ key }) => key)])];
}
