import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { fieldText } from "../../json-path/json-path.ts";
import { parseJsonPath } from "../../json-path/json-path-reader.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { KindRules, ServedKind, Verb } from "../../kinds/served-kind.ts";
import { compiledDefinition, schemaDigest } from "../compiled-definition.ts";
import { type Definition, type DefinitionVersion, readDefinition, type ScalePaths } from "../definitions/definition.ts";
import { deprecationWarning } from "../definitions/deprecation.ts";
import { schemaRevision } from "../schema-revision.ts";
import { judgeObject } from "./custom-object-rules.ts";
import { embeddedMisfit } from "./embedded-resources.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { versionConversion } from "./version-conversion.ts";

/**
 * A kind made from a definition. Objects are defaulted and pruned by `schema` when they come in. What is wrong with them
 * then is for `rules.validate` to say, the schema's own issues among it, for they depend on what the object was before:
 * the issues of a walk over `schema` are not to be counted beside them. `decodeIssue` marks kinds that work this way.
 */
export interface CustomKind extends ServedKind {
  readonly isCustom: true;
  /** Told to whoever uses this version, with every answer. */
  readonly deprecationWarning: string | undefined;
  /** Where replicas are counted, if the definition offers scaling. */
  readonly scale: ScalePaths | undefined;
}

const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "How long ago the object was created.",
};

/** The kinds that a definition makes: one for each version it serves, once it is established, under its accepted names. */
export function kindsOf(crd: ApiObject, revision = 0): readonly CustomKind[] {
  const definition = readDefinition(crd);
  if (!definition.isEstablished) return [];
  const served = definition.versions.filter((version) => version.served);
  return served.map((version) =>
    customKind({ ...definition, names: definition.acceptedNames }, version, crd, revision),
  );
}

function customKind(definition: Definition, version: DefinitionVersion, crd: ApiObject, revision: number): CustomKind {
  const { group, names, scope, versions } = definition;
  const { columns, subresources } = version;
  const schema = version.schema ?? anything;
  const digest = schemaDigest(schema);
  return {
    ...names,
    group,
    version: version.name,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    storageVersion: versions.find(({ storage }) => storage)?.name ?? version.name,
    get schema(): CompiledSchema {
      return compiledDefinition(schema, digest).schema;
    },
    schemaRevision: schemaRevision(`${crd.metadata.uid ?? definition.name}/${version.name}`, digest, revision),
    isCustom: true,
    hasStatus: subresources?.hasStatus === true,
    hasGeneration: true,
    verbs,
    nameRule: dnsSubdomain,
    columns: columns.length > 0 ? readableColumns(columns) : [ageColumn],
    decodeIssue: (object) => misfit(compiledDefinition(schema, digest).schema, object, definition, version),
    selectableFields: version.selectableFields.map(fieldName),
    rules: rulesOf(schema, digest, version),
    deprecationWarning: deprecationWarning(definition, version),
    scale: subresources?.scale,
    isEnding: definition.isTerminating,
    ...versionConversion(definition, version),
  };
}

/** From the first path that nobody can read on, Kubernetes shows no column at all. */
function readableColumns(columns: readonly PrinterColumn[]): readonly PrinterColumn[] {
  const unreadable = columns.findIndex(({ jsonPath }) => !parseJsonPath(jsonPath).ok);
  return unreadable < 0 ? columns : columns.slice(0, unreadable);
}

/** Objects within an object have to be readable as objects before anything is asked of the whole. */
function misfit(
  schema: CompiledSchema,
  object: JsonObject,
  { names }: Definition,
  { name }: DefinitionVersion,
): string | undefined {
  const issue = embeddedMisfit(schema, object);
  if (issue === undefined) return undefined;
  return `${names.kind} in version ${quote(name)} cannot be handled as a ${names.kind}: ${issueText(issue)}`;
}

/** A stored definition without a schema takes any object. */
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function rulesOf(schema: Schema, digest: string, version: DefinitionVersion): KindRules {
  const scale = version.subresources?.scale;
  // What a write may keep although it is wrong, until the caller asks for the warnings of the same object.
  const told = new WeakMap<ApiObject, readonly string[]>();
  return {
    validate: (object, old, part = ""): readonly FieldIssue[] => {
      const { issues, warnings } = judgeObject(compiledDefinition(schema, digest), { object, old, part, scale });
      if (warnings.length > 0) told.set(object, warnings);
      return issues;
    },
    warnings: (object, old) => {
      const ofFinalizers = finalizerWarnings(object, old);
      const ofRules = told.get(object);
      return ofRules === undefined ? ofFinalizers : [...ofFinalizers, ...ofRules];
    },
    ...selectFieldRule(version),
  };
}

function selectFieldRule({ selectableFields }: DefinitionVersion): Pick<KindRules, "selectField"> {
  if (selectableFields.length === 0) return {};
  const paths = new Map(selectableFields.map((path) => [fieldName(path), parseJsonPath(path)]));
  return {
    selectField: (object, field) => {
      const path = paths.get(field);
      return path?.ok === true ? fieldText(path.value, object) : undefined;
    },
  };
}

function fieldName(path: string): string {
  return path.replace(/^\./, "");
}
