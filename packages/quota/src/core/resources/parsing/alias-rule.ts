import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { has } from "./json-fields.ts";

/** Two fields that are aliases, of which an object may set only one. */
export function aliasRule(first: string, second: string): ValidationRule {
  return {
    rule: `!has(self.${first}) || !has(self.${second})`,
    message: `set only one of ${first} and ${second}, which are aliases`,
    reason: "FieldValueForbidden",
    fieldPath: `.${second}`,
    holds: (self) => !has(self, first) || !has(self, second),
  };
}
