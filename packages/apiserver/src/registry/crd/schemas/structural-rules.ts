import {
  type FieldIssue,
  forbidden,
  invalid,
  issueText,
  itemPath,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isNonZero, isSet, namedSchemas, presentValue, subschema, subschemas, textOf } from "./raw-schema.ts";
import { completenessIssues } from "./structural-completeness.ts";
import { nestedIssues, patternIssues } from "./value-validation-rules.ts";

/** The position of a schema, which affects messages. */
type Level = "root" | "item" | "field";

/**
 * Whether a schema is structural, which defaulting and pruning require. In the order of the messages, as Kubernetes
 * sorts them.
 */
export function structuralIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const issues = [...invariantIssues(schema, "root", path), ...completenessIssues(schema, path)];
  return issues
    .map((issue) => ({ issue, text: issueText(issue) }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ issue }) => issue);
}

function invariantIssues(schema: JsonObject, level: Level, path: string): readonly FieldIssue[] {
  return [
    ...childIssues(schema, level, path),
    ...extensionIssues(schema, path),
    ...valueIssues(schema, path),
    ...typeIssues(schema, level, path),
    ...metaIssues(schema, level, path),
  ];
}

function childIssues(schema: JsonObject, level: Level, path: string): readonly FieldIssue[] {
  const items = subschema(schema, "items");
  const additional = presentValue(schema, "additionalProperties");
  const values = subschema(schema, "additionalProperties");
  return [
    ...(textOf(schema, "type") === "array" && items === undefined
      ? [required(`${path}.items`, "must be specified")]
      : []),
    ...(items === undefined ? [] : invariantIssues(items, "item", `${path}.items`)),
    ...namedSchemas(schema, "properties").flatMap(([name, child]) =>
      invariantIssues(child, "field", itemPath(`${path}.properties`, name)),
    ),
    ...(additional !== undefined && level === "root"
      ? [forbidden(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(values === undefined ? [] : invariantIssues(values, "field", `${path}.additionalProperties`)),
  ];
}

const intOrString = "x-kubernetes-int-or-string";
const preserve = "x-kubernetes-preserve-unknown-fields";
const embedded = "x-kubernetes-embedded-resource";

function extensionIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  if (!isSet(schema, intOrString)) return [];
  const clashing = [preserve, embedded].filter((name) => isSet(schema, name));
  return clashing.map((name) => invalid(`${path}.${name}`, true, `must be false if ${intOrString} is true`));
}

const integerOrString = [{ type: "integer" }, { type: "string" }];

/** Types are allowed in junctors only for `integer or string`, in one of two patterns. */
function valueIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const isPlain = jsonEquals(ownValue(schema, "anyOf") ?? null, integerOrString);
  const [first] = subschemas(schema, "allOf");
  const isWrapped = first !== undefined && jsonEquals(ownValue(first, "anyOf") ?? null, integerOrString);
  return [
    ...(isPlain ? [] : branchIssues(schema, "anyOf", path)),
    ...subschemas(schema, "allOf").flatMap((branch, index) =>
      nestedIssues(branch, `${path}.allOf[${index}]`, isWrapped && index === 0),
    ),
    ...branchIssues(schema, "oneOf", path),
    ...notIssues(schema, path),
    ...patternIssues(schema, path),
  ];
}

function branchIssues(schema: JsonObject, junctor: string, path: string): readonly FieldIssue[] {
  return subschemas(schema, junctor).flatMap((branch, index) => nestedIssues(branch, `${path}.${junctor}[${index}]`));
}

function notIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const not = subschema(schema, "not");
  return not === undefined ? [] : nestedIssues(not, `${path}.not`);
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeIssues(schema: JsonObject, level: Level, path: string): readonly FieldIssue[] {
  const type = textOf(schema, "type");
  const at = `${path}.type`;
  const issues: FieldIssue[] = [];
  if (isSet(schema, embedded) && type !== "object") {
    const fault = `must be object if ${embedded} is true`;
    issues.push(type === "" ? required(at, fault) : invalid(at, type, fault));
  } else if (type === "" && !isSet(schema, intOrString) && !isSet(schema, preserve)) {
    issues.push(required(at, emptyType[level]));
  }
  if (isSet(schema, embedded) && presentValue(schema, "additionalProperties") !== undefined) {
    issues.push(forbidden(`${path}.additionalProperties`, `must not be used if ${embedded} is set`));
  }
  if (level === "root" && type !== "" && type !== "object") {
    issues.push(invalid(at, type, "must be object at the root"));
  }
  return issues;
}

/** Restrictions on apiVersion, kind and metadata in schemas. */
function metaIssues(schema: JsonObject, level: Level, path: string): readonly FieldIssue[] {
  const isObject = level === "root" || isSet(schema, embedded);
  const properties = subschema(schema, "properties") ?? {};
  const texts = ["kind", "apiVersion"].filter((name) => isObject && subschema(properties, name) !== undefined);
  const metadata = subschema(properties, "metadata");
  const isBare = isSet(schema, embedded) && !isSet(schema, preserve) && Object.keys(properties).length === 0;
  return [
    ...texts.flatMap((name) => {
      const type = textOf(subschema(properties, name) ?? {}, "type");
      return type === "string" ? [] : [invalid(`${path}.properties[${name}].type`, type, "must be string")];
    }),
    ...(metadata === undefined ? [] : metadataIssues(metadata, isObject, level, `${path}.properties[metadata]`)),
    ...(isBare ? [required(`${path}.properties`, `must not be empty if ${embedded} is true without ${preserve}`)] : []),
  ];
}

/** Members that do not count as restrictions of metadata. */
const ofMetadata = new Set(["type", "default", "properties", "example", "externalDocs"]);

function metadataIssues(metadata: JsonObject, isObject: boolean, level: Level, path: string): readonly FieldIssue[] {
  const type = textOf(metadata, "type");
  const typed = isObject && type !== "object" ? [invalid(`${path}.type`, type, "must be object")] : [];
  if (level !== "root") return typed;
  const names = namedSchemas(metadata, "properties").map(([name]) => name);
  const hasMore =
    names.some((name) => name !== "name" && name !== "generateName") ||
    Object.entries(metadata).some(([name, value]) => !ofMetadata.has(name) && isNonZero(value));
  if (!hasMore) return typed;
  const fault = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  return [...typed, forbidden(path, fault)];
}
