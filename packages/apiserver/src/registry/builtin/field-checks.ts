import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { NameRule } from "@milo-quota/kubernetes/protocol/names.ts";

/** What is wrong with a name, each fault an issue. */
export function nameFaults(path: string, value: string, rule: NameRule): readonly FieldIssue[] {
  return rule(value).map((fault) => invalid(path, value, fault));
}

/** A field that keeps the value it was made with. */
export function immutable(path: string, value: unknown, old: unknown): readonly FieldIssue[] {
  return same(value, old) ? [] : [invalid(path, value ?? null, "field is immutable")];
}

/** Whether two parts of objects are the same; left out is as good as left out. */
export function same(left: unknown, right: unknown): boolean {
  return jsonEquals((left ?? null) as JsonValue, (right ?? null) as JsonValue);
}

/** Issues where a condition does not hold. */
export function unless(holds: boolean, issue: () => FieldIssue): readonly FieldIssue[] {
  return holds ? [] : [issue()];
}
