import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { NameRule } from "@milo-quota/kubernetes/protocol/names.ts";

/** The issues of a name by a rule. */
export function nameRuleIssues(path: string, value: string, rule: NameRule): readonly FieldIssue[] {
  return rule(value).map((fault) => invalid(path, value, fault));
}

/** Validates a field that cannot be changed. */
export function immutable(path: string, value: unknown, old: unknown): readonly FieldIssue[] {
  return isEqual(value, old) ? [] : [invalid(path, value ?? null, "field is immutable")];
}

/** Whether two parts of objects are equal; two absent parts are. */
export function isEqual(left: unknown, right: unknown): boolean {
  return jsonEquals((left ?? null) as JsonValue, (right ?? null) as JsonValue);
}

/** One issue if a condition does not hold. */
export function issueUnless(holds: boolean, issue: () => FieldIssue): readonly FieldIssue[] {
  return holds ? [] : [issue()];
}
