import { type FieldIssue, forbidden, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { defaultIssues } from "../definitions/default-rules.ts";
import { isNonZero, isSet, isTooDeep, presentValue, schemaDepthMax, textOf } from "./raw-schema.ts";
import { rootSchemaContext } from "./schema-context.ts";
import { schemaRules } from "./schema-rules.ts";
import { everyChild, structuralConversionError } from "./structural-conversion.ts";
import { structuralIssues } from "./structural-rules.ts";

/** All issues of the schema of a version. `hasStatus`: it has a status subresource. */
export function validationIssues(schema: JsonObject, path: string, hasStatus: boolean): readonly FieldIssue[] {
  const at = `${path}.openAPIV3Schema`;
  if (isTooDeep(schema)) return [invalid(at, "", `must not be nested deeper than ${schemaDepthMax} levels`)];
  const unstructural = structuralConversionError(schema);
  const structural = unstructural === undefined ? structuralIssues(schema, at) : [];
  const isStructural = unstructural === undefined && structural.length === 0;
  const defaults = isStructural ? defaultIssues(schema, at) : [];
  const compiles = isStructural && defaults.length === 0;
  const findings = schemaRules(schema, at, { ...rootSchemaContext, compiles });
  const issues = [
    ...(hasStatus ? rootIssues(schema, at) : []),
    ...(isSet(schema, "nullable") ? [forbidden(`${at}.nullable`, "nullable cannot be true at the root")] : []),
    ...structural,
    ...defaults,
    ...findings.schema,
    ...findings.rules,
  ];
  return issues.length === 0 && unstructural !== undefined ? [invalid(at, "", unstructural)] : issues;
}

const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** Keywords at the root that would be lost for the status, whose schema is validated separately. */
const lostForStatus = [
  ...["id", "$schema", "$ref", "enum", "maxProperties", "minProperties", "allOf", "oneOf", "anyOf", "not", "default"],
  ...["additionalProperties", "patternProperties", "dependencies", "additionalItems", "definitions", "nullable"],
  ...["x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys"],
  ...["x-kubernetes-list-type", "x-kubernetes-map-type"],
];

function rootIssues(schema: JsonObject, at: string): readonly FieldIssue[] {
  const type = textOf(schema, "type");
  if (type !== "" && type !== "object") {
    const fault = `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`;
    return [invalid(`${at}.type`, type, fault)];
  }
  if (!lostForStatus.some((name) => isNonZero(presentValue(schema, name)))) return [];
  const fields = `[${allowedAtRoot.join(" ")}]`;
  const fault = `only ${fields} fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(at, schema, fault)];
}

export function hasDefaults(schema: JsonObject): boolean {
  return presentValue(schema, "default") !== undefined || everyChild(schema).some(hasDefaults);
}
