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
import { compileDefinition, schemaDigest } from "../compile-definition.ts";
import { type Definition, type DefinitionVersion, readDefinition, type ScalePaths } from "../definitions/definition.ts";
import { deprecationWarning } from "../definitions/deprecation.ts";
import { schemaRevision } from "../schema-revision.ts";
import { validateObject } from "./custom-object-rules.ts";
import { embeddedDecodeError } from "./embedded-resources.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { versionConversion } from "./version-conversion.ts";

/**
 * A kind from a CustomResourceDefinition. Objects are defaulted and pruned by `schema` on arrival. `rules.validate`
 * then reports all issues, those of the schema included, because they depend on the old object: issues of a walk over
 * `schema` must not be added to them. `decodeIssue` marks such kinds.
 */
export interface CustomKind extends ServedKind {
  readonly isCustom: true;
  /** Sent with every response in this version. */
  readonly deprecationWarning: string | undefined;
  /** The paths of the scale subresource, if it is enabled. */
  readonly scale: ScalePaths | undefined;
}

const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "How long ago the object was created.",
};

/** The kinds of a definition: one per served version, once it is established, under its accepted names. */
export function kindsOf(crd: ApiObject, revision = 0, hintFor?: UnknownFieldHint): readonly CustomKind[] {
  const definition = readDefinition(crd);
  if (!definition.isEstablished) return [];
  const served = definition.versions.filter((version) => version.served);
  const source = { crd, revision, hintFor };
  return served.map((version) => customKind({ ...definition, names: definition.acceptedNames }, version, source));
}

/** A hint to add to the error or warning about an unknown field of a custom kind. */
export type UnknownFieldHint = (
  kind: Pick<ServedKind, "group" | "version" | "kind">,
  field: string,
) => string | undefined;

interface KindSource {
  readonly crd: ApiObject;
  readonly revision: number;
  readonly hintFor: UnknownFieldHint | undefined;
}

function customKind(
  definition: Definition,
  version: DefinitionVersion,
  { crd, revision, hintFor }: KindSource,
): CustomKind {
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
      return compileDefinition(schema, digest).schema;
    },
    schemaRevision: schemaRevision(`${crd.metadata.uid ?? definition.name}/${version.name}`, digest, revision),
    isCustom: true,
    hasStatus: subresources?.hasStatus === true,
    hasGeneration: true,
    verbs,
    nameRule: dnsSubdomain,
    columns: columns.length > 0 ? readableColumns(columns) : [ageColumn],
    decodeIssue: (object) => embeddedIssue(compileDefinition(schema, digest).schema, object, definition, version),
    selectableFields: version.selectableFields.map(fieldName),
    rules: rulesOf(schema, digest, version),
    deprecationWarning: deprecationWarning(definition, version),
    unknownFieldHint: hintFor && ((field) => hintFor({ group, version: version.name, kind: names.kind }, field)),
    scale: subresources?.scale,
    isTerminating: definition.isTerminating,
    ...versionConversion(definition, version),
  };
}

/** As in Kubernetes, columns end before the first unusable path. */
function readableColumns(columns: readonly PrinterColumn[]): readonly PrinterColumn[] {
  const unreadable = columns.findIndex(({ jsonPath }) => !parseJsonPath(jsonPath).ok);
  return unreadable < 0 ? columns : columns.slice(0, unreadable);
}

/** Embedded resources must decode as objects before anything else is validated. */
function embeddedIssue(
  schema: CompiledSchema,
  object: JsonObject,
  { names }: Definition,
  { name }: DefinitionVersion,
): string | undefined {
  const issue = embeddedDecodeError(schema, object);
  if (issue === undefined) return undefined;
  return `${names.kind} in version ${quote(name)} cannot be handled as a ${names.kind}: ${issueText(issue)}`;
}

/** A stored definition without a schema accepts any object. */
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function rulesOf(schema: Schema, digest: string, version: DefinitionVersion): KindRules {
  const scale = version.subresources?.scale;
  // Tolerated issues of a write, until the caller asks for the warnings about the same object.
  const tolerated = new WeakMap<ApiObject, readonly string[]>();
  return {
    validate: (object, old, part = ""): readonly FieldIssue[] => {
      const { issues, warnings } = validateObject(compileDefinition(schema, digest), { object, old, part, scale });
      if (warnings.length > 0) tolerated.set(object, warnings);
      return issues;
    },
    warnings: (object, old) => {
      const ofFinalizers = finalizerWarnings(object, old);
      const ofRules = tolerated.get(object);
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
