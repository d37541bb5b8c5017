import { type FieldIssue, invalid, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { schemaIssues } from "@milo-quota/kubernetes/schema/check.ts";
import { duplicateItemIssues } from "@milo-quota/kubernetes/schema/list-keys.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { objectFitsSchema, partFitsSchema } from "../../kinds/fit-cache.ts";
import type { WrittenSubresource } from "../../kinds/served-kind.ts";
import type { CompiledDefinition } from "../compile-definition.ts";
import type { ScalePaths } from "../definitions/definition.ts";
import { scaleIssues } from "../definitions/scale-rules.ts";
import { evaluateRules } from "../rules/evaluate-rules.ts";
import { embeddedIssues } from "./embedded-resources.ts";

/** Issues of a custom object, and issues that are tolerated because that part is unchanged (ratcheting). */
export interface ObjectFindings {
  readonly issues: readonly FieldIssue[];
  readonly warnings: readonly string[];
}

export interface ObjectToValidate {
  /** Defaulted and pruned. */
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly part: WrittenSubresource;
  readonly scale: ScalePaths | undefined;
}

/** Issues after which validation rules cannot be evaluated. */
const blocking: ReadonlySet<FieldIssue["type"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const rulesSkipped =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/**
 * Validates an object in the order of Kubernetes: schema, embedded resources, lists, rules. Rules are skipped after
 * schema issues.
 */
export function validateObject(definition: CompiledDefinition, target: ObjectToValidate): ObjectFindings {
  const { object, old, part, scale } = target;
  const issues = passesFastCheck(definition, target)
    ? scaleIssues(object, scale, part === "status" ? "status" : "all")
    : [...shapeIssues(definition, target), ...listIssues(definition, object, old)];
  if (!definition.schema.hasRules) return { issues, warnings: [] };
  if (issues.some(({ type }) => blocking.has(type))) {
    return { issues: [...issues, invalid("<nil>", null, rulesSkipped)], warnings: [] };
  }
  const broken = evaluateRules(definition.schema, definition.rules, { value: object, old });
  return { issues: [...issues, ...broken.issues], warnings: broken.warnings.map(issueText) };
}

/** Fast path: whether schema and lists certainly have no issues, as is nearly always so. */
function passesFastCheck({ schema }: CompiledDefinition, { object, old, part }: ObjectToValidate): boolean {
  if (part !== "status") return objectFitsSchema(schema, object);
  const compiled = schema.properties.get("status");
  const status = member(object, "status");
  if (compiled === undefined || status === undefined || old === undefined) return false;
  return isEqualExceptStatus(object, old) && partFitsSchema(compiled, status);
}

function isEqualExceptStatus(object: JsonObject, old: JsonObject): boolean {
  const names = Object.keys(object);
  return names.every((name) => name === "status" || name === "metadata" || object[name] === old[name]);
}

/** A status write is validated by the schema of the status only. */
function shapeIssues(
  { schema }: CompiledDefinition,
  { object, old, part, scale }: ObjectToValidate,
): readonly FieldIssue[] {
  if (part === "status") {
    return [...statusIssues(schema, object, old), ...scaleIssues(object, scale, "status")];
  }
  return [
    ...schemaIssues(schema, object, old === undefined ? {} : { old }),
    ...scaleIssues(object, scale, "all"),
    ...embeddedIssues(schema, object),
  ];
}

function statusIssues(
  schema: CompiledDefinition["schema"],
  object: ApiObject,
  old: ApiObject | undefined,
): readonly FieldIssue[] {
  const compiled = schema.properties.get("status");
  const status = member(object, "status");
  if (compiled === undefined || status === undefined) return [];
  const before = old === undefined ? undefined : member(old, "status");
  return schemaIssues(compiled, status, { base: "status", ...(before === undefined ? {} : { old: before }) });
}

/** Lists that already had duplicates may keep them. */
function listIssues(
  { schema }: CompiledDefinition,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldIssue[] {
  const issues = duplicateItemIssues(schema, object);
  if (issues.length === 0 || old === undefined) return issues;
  return duplicateItemIssues(schema, old).length === 0 ? issues : [];
}

function member(object: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(object) ? ownValue(object, name) : undefined;
}
