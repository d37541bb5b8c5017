import { type FieldIssue, invalid, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { schemaIssues } from "@milo-quota/kubernetes/schema/check.ts";
import { repetitionIssues } from "@milo-quota/kubernetes/schema/list-keys.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { objectFitsSchema, partFitsSchema } from "../../kinds/fit-cache.ts";
import type { WrittenPart } from "../../kinds/served-kind.ts";
import type { CompiledDefinition } from "../compiled-definition.ts";
import type { ScalePaths } from "../definitions/definition.ts";
import { scaleIssues } from "../definitions/scale-rules.ts";
import { evaluateRules } from "../rules/evaluate-rules.ts";
import { embeddedIssues } from "./embedded-resources.ts";

/** Everything that is wrong with a custom object, and what is but may stay because nobody touched it. */
export interface ObjectFindings {
  readonly issues: readonly FieldIssue[];
  readonly warnings: readonly string[];
}

export interface Judged {
  /** Defaulted and pruned. */
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly part: WrittenPart;
  readonly scale: ScalePaths | undefined;
}

/** Faults that leave rules nothing to hold on to. */
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
 * Judges an object by all its definition says, in the order of Kubernetes: schema, embedded objects, lists, rules. Rules
 * are not asked where the schema has failed.
 */
export function judgeObject(definition: CompiledDefinition, judged: Judged): ObjectFindings {
  const { object, old, part, scale } = judged;
  const issues = isObvious(definition, judged)
    ? scaleIssues(object, scale, part === "status" ? "status" : "all")
    : [...shapeIssues(definition, judged), ...listIssues(definition, object, old)];
  if (!definition.schema.hasRules) return { issues, warnings: [] };
  if (issues.some(({ type }) => blocking.has(type))) {
    return { issues: [...issues, invalid("<nil>", null, rulesSkipped)], warnings: [] };
  }
  const broken = evaluateRules(definition.schema, definition.rules, { value: object, old });
  return { issues: [...issues, ...broken.issues], warnings: broken.warnings.map(issueText) };
}

/** Whether schema and lists have nothing to say, as they nearly always have. */
function isObvious({ schema }: CompiledDefinition, { object, old, part }: Judged): boolean {
  if (part !== "status") return objectFitsSchema(schema, object);
  const compiled = schema.properties.get("status");
  const status = member(object, "status");
  if (compiled === undefined || status === undefined || old === undefined) return false;
  return isSameButForStatus(object, old) && partFitsSchema(compiled, status);
}

function isSameButForStatus(object: JsonObject, old: JsonObject): boolean {
  const names = Object.keys(object);
  return names.every((name) => name === "status" || name === "metadata" || object[name] === old[name]);
}

/** A write of the status is held to the schema of the status alone. */
function shapeIssues({ schema }: CompiledDefinition, { object, old, part, scale }: Judged): readonly FieldIssue[] {
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

/** Lists that repeated an item before may go on doing so. */
function listIssues(
  { schema }: CompiledDefinition,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldIssue[] {
  const issues = repetitionIssues(schema, object);
  if (issues.length === 0 || old === undefined) return issues;
  return repetitionIssues(schema, old).length === 0 ? issues : [];
}

function member(object: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(object) ? ownValue(object, name) : undefined;
}
