import { type FieldIssue, forbidden, invalid, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { RE2JS } from "re2js";
import { given, isFilled, namedSchemas, subschema, subschemas, textOf } from "./raw-schema.ts";

/** What may not stand below a junctor, because it says what a value is and not only which values are right. */
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

/** Fields that count as soon as they are there, whatever they hold. */
const countsEmpty = new Set(["default", "x-kubernetes-list-type", "x-kubernetes-map-type"]);

/** Checks a schema below a junctor. `allowsTypes`: its own `anyOf` says `integer or string`, which is fine here. */
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
      .filter(([field]) => isThere(schema, field))
      .map(([field, fault]) => forbidden(`${path}.${field}`, fault)),
    ...(subschema(subschema(schema, "properties") ?? {}, "metadata") === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")]),
  ];
}

function isThere(schema: JsonObject, field: string): boolean {
  const value = given(schema, field);
  if (field === "additionalProperties") return value !== undefined && value !== false;
  return countsEmpty.has(field) ? value !== undefined : isFilled(value);
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
