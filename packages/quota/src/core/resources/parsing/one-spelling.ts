import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { has } from "./reading.ts";

/** Two names for one thing, of which an object may use one. */
export function oneSpelling(first: string, second: string): ValidationRule {
  return {
    rule: `!has(self.${first}) || !has(self.${second})`,
    message: `give one of ${first} and ${second}; they mean the same`,
    reason: "FieldValueForbidden",
    fieldPath: `.${second}`,
    holds: (self) => !has(self, first) || !has(self, second),
  };
}
