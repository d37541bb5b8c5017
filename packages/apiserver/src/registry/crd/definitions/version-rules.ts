import {
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooMany,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { parseJsonPath } from "../../json-path/json-path-reader.ts";
import type { DefinitionVersion, ScalePaths, Subresources } from "./definition.ts";
import { followPath } from "./field-path.ts";

const warningBytesMax = 256;
const selectableMax = 8;

export function deprecationIssues(version: DefinitionVersion, path: string): readonly FieldIssue[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const at = `${path}.deprecationWarning`;
  const faults = deprecated ? warningFaults(warning) : ["can only be set for deprecated versions"];
  // Printed as JSON, unlike other strings.
  const shown = JSON.stringify(warning);
  return faults.map((fault) => ({
    type: "FieldValueInvalid",
    field: at,
    message: `Invalid value: ${shown}: ${fault}`,
  }));
}

function warningFaults(warning: string): readonly string[] {
  const at = unprintableAt(warning);
  return [
    ...(Buffer.byteLength(warning) > warningBytesMax ? [`must be <= ${warningBytesMax} characters long`] : []),
    ...(warning === "" ? ["must not be an empty string"] : []),
    ...(at < 0 ? [] : [`must only contain printable UTF-8 characters; non-printable character found at index ${at}`]),
  ];
}

/** In bytes, as Go counts. */
function unprintableAt(text: string): number {
  const match = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  return match === null ? -1 : Buffer.byteLength(text.slice(0, match.index));
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function columnIssues(columns: readonly PrinterColumn[], path: string): readonly FieldIssue[] {
  return columns.flatMap((column, index) => columnFaults(column, `${path}.additionalPrinterColumns[${index}]`));
}

function columnFaults({ name, type, format = "", jsonPath }: PrinterColumn, path: string): readonly FieldIssue[] {
  const types = `must be one of ${columnTypes.join(",")}`;
  const formats = `must be one of ${columnFormats.join(",")}`;
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...((type as string) === "" ? [required(`${path}.type`, types)] : []),
    ...((type as string) === "" || columnTypes.includes(type) ? [] : [invalid(`${path}.type`, type, types)]),
    ...(format === "" || columnFormats.includes(format) ? [] : [invalid(`${path}.format`, format, formats)]),
    ...simplePathIssues(jsonPath, `${path}.JSONPath`),
  ];
}

function simplePathIssues(jsonPath: string, at: string): readonly FieldIssue[] {
  if (jsonPath === "") return [required(at)];
  return jsonPath.startsWith(".") ? [] : [invalid(at, jsonPath, "must be a simple json path starting with .")];
}

/** Kubernetes accepts unusable paths and shows an empty column; this server warns. */
export function columnWarnings(columns: readonly PrinterColumn[], path: string): readonly string[] {
  return columns.flatMap(({ jsonPath }, index) => {
    const parsed = parseJsonPath(jsonPath);
    if (parsed.ok) return [];
    return [`${path}.additionalPrinterColumns[${index}].jsonPath: unrecognized column definition: ${parsed.fault}`];
  });
}

export function selectableIssues(fields: readonly string[], schema: Schema, path: string): readonly FieldIssue[] {
  const seen = new Set<string>();
  const issues = fields.flatMap((jsonPath, index) =>
    selectableFaults(jsonPath, schema, `${path}[${index}].jsonPath`, seen),
  );
  return seen.size > selectableMax ? [...issues, tooMany(path, seen.size, selectableMax)] : issues;
}

const selectableTypes = new Set(["string", "boolean", "integer"]);
const wrongType =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

function selectableFaults(jsonPath: string, schema: Schema, at: string, seen: Set<string>): readonly FieldIssue[] {
  if (jsonPath === "") return [required(at)];
  const followed = followPath(jsonPath, schema, false);
  if (!followed.ok) return [invalid(at, jsonPath, `is an invalid path: ${followed.fault}`)];
  const isRepeated = seen.has(followed.path);
  seen.add(followed.path);
  return [
    ...(followed.root === "metadata" ? [invalid(at, jsonPath, "must not point to fields in metadata")] : []),
    ...(selectableTypes.has(followed.schema?.type ?? "") ? [] : [invalid(at, jsonPath, wrongType)]),
    ...(isRepeated ? [duplicate(at, jsonPath)] : []),
  ];
}

export function subresourceIssues(subresources: Subresources | undefined, path: string): readonly FieldIssue[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const at = `${path}.scale`;
  return [
    ...scalePathIssues(scale, "specReplicasPath", [".spec."], at),
    ...scalePathIssues(scale, "statusReplicasPath", [".status."], at),
    ...(scale.labelSelectorPath ? scalePathIssues(scale, "labelSelectorPath", [".spec.", ".status."], at) : []),
  ];
}

function scalePathIssues(
  scale: ScalePaths,
  field: keyof ScalePaths,
  roots: readonly string[],
  path: string,
): readonly FieldIssue[] {
  const at = `${path}.${field}`;
  const value = scale[field] ?? "";
  const malformed = simplePathIssues(value, at);
  if (malformed.length > 0 || roots.some((root) => value.startsWith(root))) return malformed;
  const [first = "", second] = roots.map((root) => root.slice(0, -1));
  const where = second === undefined ? first : `either ${first} or ${second}`;
  return [invalid(at, value, `should be a json path under ${where}`)];
}

export function scopeIssues(scope: string): readonly FieldIssue[] {
  if (scope === "") return [required("spec.scope")];
  return ["Cluster", "Namespaced"].includes(scope)
    ? []
    : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])];
}
