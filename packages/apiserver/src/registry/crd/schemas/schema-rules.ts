import {
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { expressionIssues, ruleIssues } from "../rules/validation-rule-rules.ts";
import { listRules, mapRules } from "./list-type-rules.ts";
import { isNonZero, isSet, namedSchemas, presentValue, subschema, subschemas, textOf } from "./raw-schema.ts";
import type { SchemaContext } from "./schema-context.ts";

/** Issues of a schema and of its rules; rules are checked only if the schema is valid. */
export interface SchemaFindings {
  readonly schema: readonly FieldIssue[];
  readonly rules: readonly FieldIssue[];
}

export function schemaRules(schema: JsonObject, path: string, context: SchemaContext): SchemaFindings {
  const below = childFindings(schema, path, { ...context, isRoot: false }, context.isRoot);
  const found = [
    ...ownIssues(schema, path, context),
    ...below.flatMap((findings) => findings.schema),
    ...mapRules(schema, path),
    ...listRules(schema, path),
    ...ruleIssues(schema, path),
  ];
  const childRules = below.flatMap((findings) => findings.rules);
  const isChecked = found.length === 0 && context.compiles;
  return { schema: found, rules: isChecked ? [...childRules, ...expressionIssues(schema, path, context)] : childRules };
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords of JSON Schema that definitions may not use. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
const countsEmpty = new Set(["additionalItems", "dependencies", "$ref"]);

function ownIssues(
  schema: JsonObject,
  path: string,
  { noDefault, isInsideMeta }: SchemaContext,
): readonly FieldIssue[] {
  const type = textOf(schema, "type");
  const used = unsupported.filter((name) =>
    countsEmpty.has(name) ? presentValue(schema, name) !== undefined : isNonZero(presentValue(schema, name)),
  );
  const additional = presentValue(schema, "additionalProperties");
  const properties = subschema(schema, "properties") ?? {};
  const preserve = ownValue(schema, "x-kubernetes-preserve-unknown-fields");
  const issue = (isWrong: boolean, make: () => FieldIssue): readonly FieldIssue[] => (isWrong ? [make()] : []);
  return [
    ...issue(type !== "" && !types.includes(type), () => notSupported(`${path}.type`, type, types)),
    ...issue(noDefault !== undefined && presentValue(schema, "default") !== undefined, () =>
      forbidden(`${path}.default`, `must not be set ${noDefault}`),
    ),
    ...used.map((name) => forbidden(`${path}.${name}`, `${name} is not supported`)),
    ...issue(type === "null", () =>
      forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"),
    ),
    ...issue(subschemas(schema, "items").length > 0, () =>
      forbidden(`${path}.items`, "items must be a schema object and not an array"),
    ),
    ...issue(isInsideMeta && isSet(schema, "x-kubernetes-embedded-resource"), () =>
      forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"),
    ),
    ...issue(isSet(schema, "uniqueItems"), () =>
      forbidden(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    ),
    ...issue(Object.keys(properties).length > 0 && additional !== undefined && additional !== true, () =>
      forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
    ),
    ...issue(preserve === false, () =>
      invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"),
    ),
  ];
}

const metaFields = new Set(["metadata", "kind", "apiVersion"]);

function childFindings(
  schema: JsonObject,
  path: string,
  context: SchemaContext,
  isRoot: boolean,
): readonly SchemaFindings[] {
  return [
    ...valueFindings(schema, path, context),
    ...namedSchemas(schema, "properties").map(([name, child]) =>
      schemaRules(child, itemPath(`${path}.properties`, name), propertyContext(schema, name, context, isRoot)),
    ),
    ...junctorFindings(schema, path, { ...context, compiles: false }),
    ...itemFindings(schema, path, context),
  ];
}

function valueFindings(schema: JsonObject, path: string, context: SchemaContext): readonly SchemaFindings[] {
  const values = subschema(schema, "additionalProperties");
  if (values === undefined) return [];
  const noDefault = context.isInsideMeta
    ? "inside additionalProperties applying to object metadata"
    : context.noDefault;
  return [schemaRules(values, `${path}.additionalProperties`, { ...context, noDefault })];
}

function propertyContext(schema: JsonObject, name: string, context: SchemaContext, isRoot: boolean): SchemaContext {
  const isObject = isRoot || isSet(schema, "x-kubernetes-embedded-resource");
  if (!isObject || !metaFields.has(name)) return context;
  return { ...context, isInsideMeta: true, noDefault: isRoot ? `in top-level ${name}` : context.noDefault };
}

function junctorFindings(schema: JsonObject, path: string, context: SchemaContext): readonly SchemaFindings[] {
  const not = subschema(schema, "not");
  return [
    ...(not === undefined ? [] : [schemaRules(not, `${path}.not`, context)]),
    ...["allOf", "oneOf", "anyOf"].flatMap((junctor) =>
      subschemas(schema, junctor).map((branch, index) => schemaRules(branch, `${path}.${junctor}[${index}]`, context)),
    ),
    ...namedSchemas(schema, "definitions").map(([name, child]) =>
      schemaRules(child, itemPath(`${path}.definitions`, name), context),
    ),
    ...namedSchemas(schema, "dependencies").map(([name, child]) =>
      schemaRules(child, itemPath(`${path}.dependencies`, name), context),
    ),
  ];
}

/** Only items of map lists correlate. */
function itemFindings(schema: JsonObject, path: string, context: SchemaContext): readonly SchemaFindings[] {
  const items = ownValue(schema, "items");
  const isMap = textOf(schema, "x-kubernetes-list-type") === "map";
  const inside = isMap ? context : { ...context, uncorrelatable: context.uncorrelatable ?? path };
  if (isJsonObject(items)) return [schemaRules(items, `${path}.items`, inside)];
  return subschemas(schema, "items").map((item, index) => schemaRules(item, `${path}.items[${index}]`, inside));
}
