import { type FieldIssue, invalid, issueText, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { schemaIssues } from "@milo-quota/kubernetes/schema/check.ts";
import { type CompiledSchema, compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { embeddedIssues, resourceIssues } from "../objects/embedded-resources.ts";
import { compileRules } from "../rules/compiled-rules.ts";
import { evaluateRules } from "../rules/evaluate-rules.ts";
import { normalizedSchema } from "../schemas/normalized-schema.ts";
import { isSet, namedSchemas, presentValue, subschema } from "../schemas/raw-schema.ts";

/** Embeds a value in the object that it would be a default in. */
type Wrap = (value: JsonValue) => JsonValue;

interface SchemaPosition {
  readonly path: string;
  readonly isRoot: boolean;
  /** Whether inside apiVersion, kind or metadata of an object. */
  readonly isInsideMeta: boolean;
  readonly wrapInObject: Wrap;
}

/** Defaults must be valid by their schema and have no unknown fields. For structural schemas. */
export function defaultIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  return visit(schema, { path, isRoot: true, isInsideMeta: false, wrapInObject: (value) => value });
}

const embedded = "x-kubernetes-embedded-resource";
const metaFields = new Set(["metadata", "apiVersion", "kind"]);

function visit(schema: JsonObject, position: SchemaPosition): readonly FieldIssue[] {
  const isObject = position.isRoot || isSet(schema, embedded);
  const here: SchemaPosition = isObject
    ? { ...position, isInsideMeta: false, wrapInObject: (value) => value }
    : position;
  const value = presentValue(schema, "default");
  const items = subschema(schema, "items");
  return [
    ...(value === undefined ? [] : issuesOf(isObject ? { ...schema, [embedded]: true } : schema, value, here)),
    ...(items === undefined
      ? []
      : visit(
          items,
          below(here, `${here.path}.items`, (inner) => [inner]),
        )),
    ...namedSchemas(schema, "properties").flatMap(([name, child]) => {
      const at = below(here, itemPath(`${here.path}.properties`, name), (inner) => ({ [name]: inner }));
      return visit(child, { ...at, isInsideMeta: here.isInsideMeta || (isObject && metaFields.has(name)) });
    }),
  ];
}

function below(position: SchemaPosition, path: string, wrap: Wrap): SchemaPosition {
  return { ...position, path, isRoot: false, wrapInObject: (value) => position.wrapInObject(wrap(value)) };
}

function issuesOf(schema: JsonObject, value: JsonValue, position: SchemaPosition): readonly FieldIssue[] {
  const compiled = compileSchema(normalizedSchema(schema as Schema));
  const at = `${position.path}.default`;
  const early = position.isInsideMeta ? metaIssues(value, position, at) : ownIssues(compiled, value, at);
  if (early.blocking.length > 0) return [...early.others, ...early.blocking];
  const wrong = schemaIssues(compiled, value, { base: at });
  return [...early.others, ...(wrong.length > 0 ? wrong : ruleFindings(compiled, value, at, position.isRoot))];
}

interface EarlyIssues {
  readonly others: readonly FieldIssue[];
  /** If there are any of these, validation stops. */
  readonly blocking: readonly FieldIssue[];
}

function ownIssues(compiled: CompiledSchema, value: JsonValue, at: string): EarlyIssues {
  const isObject = compiled.schema[embedded] === true;
  const { unknownFields } = pruneAndDefault(compiled, value, isObject);
  return {
    others: unknownFields.length > 0 ? [invalid(at, value, "must not have unknown fields")] : [],
    blocking: embeddedIssues(compiled, value, at),
  };
}

function metaIssues(value: JsonValue, { wrapInObject }: SchemaPosition, at: string): EarlyIssues {
  const object = wrapInObject(value);
  const whole = isJsonObject(object) ? { apiVersion: "validation/v1", kind: "Validation", ...object } : {};
  const issues = resourceIssues(whole, "");
  const text = issues.length === 1 ? issues.map(issueText).join() : `[${issues.map(issueText).join(", ")}]`;
  return {
    others: [],
    blocking: issues.length === 0 ? [] : [invalid(at, value, `must result in valid metadata: ${text}`)],
  };
}

/** A default applies to objects that had the value before, and to those that had none. */
function ruleFindings(
  compiled: CompiledSchema,
  value: JsonValue,
  base: string,
  isRoot: boolean,
): readonly FieldIssue[] {
  if (!compiled.hasRules) return [];
  const table = compileRules(compiled, isRoot);
  const kept = evaluateRules(compiled, table, { value, old: value, base, isRatcheting: false });
  return kept.issues.length > 0 ? kept.issues : evaluateRules(compiled, table, { value, base }).issues;
}
