import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** For names that are part of other names: limits their length, and allows no dots. */
export function nameRule(lengthMax: number, because: string): ValidationRule {
  return {
    rule: `size(self.metadata.name) <= ${lengthMax} && !self.metadata.name.contains('.')`,
    message: `the name must have at most ${lengthMax} characters and no dots: ${because}`,
    fieldPath: ".metadata",
  };
}

export function immutableField(field: string, because: string): ValidationRule {
  return {
    rule: `self.${field} == oldSelf.${field}`,
    message: `${field} is immutable: ${because}`,
    reason: "FieldValueForbidden",
    fieldPath: `.${field}`,
  };
}
