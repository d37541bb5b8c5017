import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** A name that goes into others: as short as they need it, and without dots. */
export function nameRule(lengthMax: number, because: string): ValidationRule {
  return {
    rule: `size(self.metadata.name) <= ${lengthMax} && !self.metadata.name.contains('.')`,
    message: `the name must have at most ${lengthMax} characters and no dots: ${because}`,
    fieldPath: ".metadata",
  };
}

/** A field that stays what it was when the object was made. */
export function unchanging(field: string, because: string): ValidationRule {
  return {
    rule: `self.${field} == oldSelf.${field}`,
    message: `${field} cannot change: ${because}`,
    reason: "FieldValueForbidden",
    fieldPath: `.${field}`,
  };
}
