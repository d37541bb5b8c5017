import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** Names of a kind, as requested in spec or accepted in status. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

export interface Subresources {
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  /** Undefined when there is none. Unchecked: validation tells whether it is a schema. */
  readonly schema: Schema | undefined;
  readonly subresources: Subresources | undefined;
  readonly columns: readonly PrinterColumn[];
  /** JSONPaths with leading dots. */
  readonly selectableFields: readonly string[];
}

/** A CustomResourceDefinition, read leniently: parts that are missing or of the wrong type count as empty. */
export interface Definition {
  readonly name: string;
  readonly annotations: JsonObject;
  readonly group: string;
  readonly scope: string;
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  readonly preservesUnknownFields: boolean;
  readonly conversion: JsonObject | undefined;
  readonly acceptedNames: DefinitionNames;
  readonly storedVersions: readonly string[];
  readonly isEstablished: boolean;
  readonly isTerminating: boolean;
}

export function readDefinition(crd: JsonValue): Definition {
  const metadata = object(crd, "metadata");
  const spec = object(crd, "spec");
  const status = object(crd, "status");
  return {
    name: text(metadata, "name"),
    annotations: object(metadata, "annotations"),
    group: text(spec, "group"),
    scope: text(spec, "scope"),
    names: readNames(object(spec, "names")),
    versions: list(spec, "versions").map(readVersion),
    preservesUnknownFields: member(spec, "preserveUnknownFields") === true,
    conversion: optionalObject(spec, "conversion"),
    acceptedNames: readNames(object(status, "acceptedNames")),
    storedVersions: texts(status, "storedVersions"),
    isEstablished: isTrue(status, "Established"),
    isTerminating: isTrue(status, "Terminating"),
  };
}

function isTrue(status: JsonValue, type: string): boolean {
  return list(status, "conditions").some(
    (condition) => text(condition, "type") === type && text(condition, "status") === "True",
  );
}

function readNames(names: JsonObject): DefinitionNames {
  return {
    plural: text(names, "plural"),
    singular: text(names, "singular"),
    kind: text(names, "kind"),
    listKind: text(names, "listKind"),
    shortNames: texts(names, "shortNames"),
    categories: texts(names, "categories"),
  };
}

function readVersion(version: JsonValue): DefinitionVersion {
  const warning = member(version, "deprecationWarning");
  const subresources = optionalObject(version, "subresources");
  return {
    name: text(version, "name"),
    served: member(version, "served") === true,
    storage: member(version, "storage") === true,
    deprecated: member(version, "deprecated") === true,
    deprecationWarning: typeof warning === "string" ? warning : undefined,
    schema: optionalObject(object(version, "schema"), "openAPIV3Schema") as Schema | undefined,
    subresources: subresources === undefined ? undefined : readSubresources(subresources),
    columns: list(version, "additionalPrinterColumns").map(readColumn),
    selectableFields: list(version, "selectableFields").map((field) => text(field, "jsonPath")),
  };
}

function readSubresources(subresources: JsonObject): Subresources {
  const scale = optionalObject(subresources, "scale");
  const selector = member(scale ?? null, "labelSelectorPath");
  return {
    hasStatus: optionalObject(subresources, "status") !== undefined,
    scale:
      scale === undefined
        ? undefined
        : {
            specReplicasPath: text(scale, "specReplicasPath"),
            statusReplicasPath: text(scale, "statusReplicasPath"),
            labelSelectorPath: typeof selector === "string" ? selector : undefined,
          },
  };
}

/** Types are checked by validation, not here. */
function readColumn(column: JsonValue): PrinterColumn {
  const [description, format, priority] = ["description", "format", "priority"].map((key) => member(column, key));
  return {
    name: text(column, "name"),
    type: text(column, "type") as PrinterColumn["type"],
    jsonPath: text(column, "jsonPath"),
    ...(typeof description === "string" && description !== "" ? { description } : {}),
    ...(typeof format === "string" && format !== "" ? { format } : {}),
    ...(typeof priority === "number" && priority !== 0 ? { priority } : {}),
  };
}

function member(value: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, key) : undefined;
}

function text(value: JsonValue, key: string): string {
  const found = member(value, key);
  return typeof found === "string" ? found : "";
}

function list(value: JsonValue, key: string): readonly JsonValue[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

function texts(value: JsonValue, key: string): readonly string[] {
  return list(value, key).filter((item) => typeof item === "string");
}

function optionalObject(value: JsonValue, key: string): JsonObject | undefined {
  const found = member(value, key);
  return isJsonObject(found) ? found : undefined;
}

function object(value: JsonValue, key: string): JsonObject {
  return optionalObject(value, key) ?? {};
}
