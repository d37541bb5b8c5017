import { type FieldIssue, invalid, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { KindRules, WrittenSubresource } from "../../kinds/served-kind.ts";
import { type CommonVersionParts, commonVersionParts } from "../common-version-parts.ts";
import { isTooDeep } from "../schemas/raw-schema.ts";
import { structuralConversionError } from "../schemas/structural-conversion.ts";
import { hasDefaults, validationIssues } from "../schemas/validation-rules.ts";
import { conversionIssues } from "./conversion-rules.ts";
import { approvalIssues, groupIssues, nameIssues, namesIssues, ruleIssues } from "./crd-names.ts";
import { storedVersionIssues } from "./crd-stored-versions.ts";
import { definitionWarnings } from "./crd-warnings.ts";
import { type Definition, type DefinitionVersion, readDefinition } from "./definition.ts";
import { markedForDeletion } from "./delete-definition.ts";
import { dnsLabel1035 } from "./label-1035.ts";
import { defaultDefinition, prepareNewDefinition, prepareUpdatedDefinition } from "./prepare-definition.ts";
import { columnIssues, deprecationIssues, scopeIssues, selectableIssues, subresourceIssues } from "./version-rules.ts";

/** Validation and preparation of CustomResourceDefinitions. */
export const definitionRules: KindRules = {
  read: defaultDefinition,
  prepareCreate: prepareNewDefinition,
  prepareUpdate: prepareUpdatedDefinition,
  prepareDelete: markedForDeletion,
  validate: definitionIssues,
  warnings: definitionWarnings,
};

/** All issues of a definition, or of a change of one, in the words of Kubernetes. */
export function definitionIssues(
  crd: ApiObject,
  old: ApiObject | undefined,
  part: WrittenSubresource = "",
): readonly FieldIssue[] {
  const definition = readDefinition(crd);
  const before = old === undefined ? undefined : readDefinition(old);
  const accepted = namesIssues(definition.acceptedNames, "status.acceptedNames");
  if (part === "status") return accepted;
  return [
    ...(before === undefined ? fullNameIssues(definition) : []),
    ...specIssues(definition, rawVersions(crd)),
    ...(before === undefined ? [] : changeIssues(definition, before)),
    ...accepted,
    ...storedVersionIssues(definition),
    ...approvalIssues(definition, before),
    ...preserveIssues(definition, before),
  ];
}

/** Undefined when there is no list. */
function rawVersions(crd: JsonObject): readonly JsonObject[] | undefined {
  const spec = ownValue(crd, "spec");
  const versions = isJsonObject(spec) ? ownValue(spec, "versions") : undefined;
  return Array.isArray(versions) ? versions.map((version) => (isJsonObject(version) ? version : {})) : undefined;
}

function fullNameIssues({ name, names, group }: Definition): readonly FieldIssue[] {
  if (name === `${names.plural}.${group}`) return [];
  return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function specIssues(definition: Definition, raw: readonly JsonObject[] | undefined): readonly FieldIssue[] {
  const folded = commonVersionParts(definition, raw ?? []);
  const { versions, scope, conversion } = definition;
  return [
    ...groupIssues(definition),
    ...scopeIssues(scope),
    ...schemaPresence(definition, folded),
    ...versions.flatMap((version, index) => versionIssues(version, `spec.versions[${index}]`, folded)),
    ...versionListIssues(versions, raw !== undefined),
    ...nameIssues(definition),
    ...sharedIssues(definition, folded),
    ...conversionIssues(conversion),
  ];
}

function schemaPresence({ versions, preservesUnknownFields }: Definition, { isSchemaShared }: CommonVersionParts) {
  const isCovered = isSchemaShared && versions[0]?.schema !== undefined;
  const missing = isCovered
    ? []
    : versions.flatMap(({ schema }, index) =>
        schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
      );
  const isDefaulting = ({ schema }: DefinitionVersion): boolean =>
    schema !== undefined && !isTooDeep(schema as JsonObject) && hasDefaults(schema as JsonObject);
  const hasDefault = preservesUnknownFields && versions.some(isDefaulting);
  const fault = "must be false in order to use defaults in the schema";
  return hasDefault ? [...missing, invalid("spec.preserveUnknownFields", true, fault)] : missing;
}

/** Issues of a single version; common parts are checked once. */
function versionIssues(version: DefinitionVersion, path: string, folded: CommonVersionParts): readonly FieldIssue[] {
  const { name, schema, subresources, columns, selectableFields } = version;
  const hasStatus = (folded.isSubresourcesShared ? folded.first?.subresources : subresources)?.hasStatus === true;
  return [
    ...ruleIssues(name, `${path}.name`, dnsLabel1035),
    ...deprecationIssues(version, path),
    ...(folded.isSchemaShared || schema === undefined
      ? []
      : validationIssues(schema as JsonObject, `${path}.schema`, hasStatus)),
    ...(folded.isSubresourcesShared ? [] : subresourceIssues(subresources, `${path}.subresources`)),
    ...(folded.isColumnsShared ? [] : columnIssues(columns, path)),
    ...(folded.isSelectableShared || selectableFields.length === 0 ? [] : selectedIssues(version, path, folded)),
  ];
}

/** Selectable fields are looked up in the version's own schema, which may have been moved out of it. */
function selectedIssues({ schema, selectableFields }: DefinitionVersion, path: string, folded: CommonVersionParts) {
  const at = `${path}.selectableFields`;
  if (folded.isSchemaShared || schema === undefined) {
    return [invalid(at, "", "may only be set when `version.schema.openAPIV3Schema` is not included")];
  }
  return followedIssues(schema, selectableFields, path);
}

function followedIssues(schema: Schema, fields: readonly string[], path: string): readonly FieldIssue[] {
  const fault = structuralConversionError(schema as JsonObject);
  if (fault !== undefined) return [invalid(`${path}.schema.openAPIV3Schema`, "", fault)];
  return selectableIssues(fields, schema, `${path}.selectableFields`);
}

function versionListIssues(versions: readonly DefinitionVersion[], isListed: boolean): readonly FieldIssue[] {
  const names = versions.map(({ name }) => name);
  const storages = versions.filter(({ storage }) => storage).length;
  const issue = (fault: string): FieldIssue => invalid("spec.versions", isListed ? names : null, fault);
  return [
    ...(new Set(names).size === names.length ? [] : [issue("must contain unique version names")]),
    ...(storages === 1 ? [] : [issue("must have exactly one version marked as storage version")]),
    ...names.slice(0, 1).flatMap((name) => ruleIssues(name, "spec.version", dnsLabel1035)),
  ];
}

function sharedIssues({ versions }: Definition, folded: CommonVersionParts): readonly FieldIssue[] {
  const { first } = folded;
  if (first === undefined) return [];
  const hasStatus = versions.some(({ subresources }) => subresources?.hasStatus === true);
  const { schema, subresources, columns, selectableFields } = first;
  return [
    ...(folded.isSchemaShared && schema !== undefined
      ? validationIssues(schema as JsonObject, "spec.validation", hasStatus)
      : []),
    ...(folded.isSubresourcesShared ? subresourceIssues(subresources, "spec.subresources") : []),
    ...(folded.isColumnsShared ? columnIssues(columns, "spec") : []),
    ...(folded.isSelectableShared && selectableFields.length > 0 ? sharedSelection(first, folded) : []),
  ];
}

function sharedSelection({ schema, selectableFields }: DefinitionVersion, { isSchemaShared }: CommonVersionParts) {
  if (!isSchemaShared || schema === undefined) {
    return [invalid("spec.selectableFields", "", "may only be set when validations.schema is included")];
  }
  return followedIssues(schema, selectableFields, "spec");
}

const immutable = "field is immutable";

/**
 * Scope, group and names determine where objects are stored and are immutable; so is what clients rely on once it is
 * established.
 */
function changeIssues(definition: Definition, old: Definition): readonly FieldIssue[] {
  const fixed = [
    ["spec.group", definition.group, old.group],
    ["spec.names.plural", definition.names.plural, old.names.plural],
  ];
  const onceServed = [
    ["spec.scope", definition.scope, old.scope],
    ["spec.names.kind", definition.names.kind, old.names.kind],
  ];
  return [...(old.isEstablished ? onceServed : []), ...fixed]
    .filter(([, value, before]) => value !== before)
    .map(([field = "", value]) => invalid(field, value, immutable));
}

function preserveIssues(definition: Definition, old: Definition | undefined): readonly FieldIssue[] {
  if (!definition.preservesUnknownFields || old?.preservesUnknownFields === true) return [];
  const fault =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", true, fault)];
}
