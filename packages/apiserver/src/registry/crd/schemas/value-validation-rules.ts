import { type FieldIssue, forbidden, invalid, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { RE2JS } from "re2js";
import { isNonZero, namedSchemas, presentValue, subschema, subschemas, textOf } from "./raw-schema.ts";

/** Keywords that are not allowed below a junctor, because they specify structure rather than validation. */
const forbiddenBelow: readonly (readonly [field: string, fault: string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** Keywords that count as present even if empty. */
const countsEmpty = new Set(["default", "x-kubernetes-list-type", "x-kubernetes-map-type"]);

/** Validates a schema below a junctor. `allowsTypes`: its own `anyOf` is the `integer or string` pattern. */
export function nestedIssues(schema: JsonObject, path: string, allowsTypes = false): readonly FieldIssue[] {
  const items = subschema(schema, "items");
  const not = subschema(schema, "not");
  const junctors = allowsTypes ? ["allOf", "oneOf"] : ["anyOf", "allOf", "oneOf"];
  return [
    ...junctors.flatMap((junctor) =>
      subschemas(schema, junctor).flatMap((branch, index) => nestedIssues(branch, `${path}.${junctor}[${index}]`)),
    ),
    ...(not === undefined ? [] : nestedIssues(not, `${path}.not`)),
    ...patternIssues(schema, path),
    ...(items === undefined ? [] : nestedIssues(items, `${path}.items`)),
    ...namedSchemas(schema, "properties").flatMap(([name, child]) =>
      nestedIssues(child, itemPath(`${path}.properties`, name)),
    ),
    ...forbiddenBelow
      .filter(([field]) => isPresent(schema, field))
      .map(([field, fault]) => forbidden(`${path}.${field}`, fault)),
    ...(subschema(subschema(schema, "properties") ?? {}, "metadata") === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")]),
  ];
}

function isPresent(schema: JsonObject, field: string): boolean {
  const value = presentValue(schema, field);
  if (field === "additionalProperties") return value !== undefined && value !== false;
  return countsEmpty.has(field) ? value !== undefined : isNonZero(value);
}

export function patternIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const pattern = textOf(schema, "pattern");
  const fault = pattern === "" ? undefined : patternFault(pattern);
  if (fault === undefined) return [];
  return [invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)];
}

function patternFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
