import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isJsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { difference, type FieldSet, noFields, setOf } from "../fields/field-set.ts";
import { fieldElement } from "../fields/path-element.ts";

/** The scope of a write: objects of a kind in one version, whole or one subresource. */
export interface FieldScope {
  /** The version of the request, with its group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The schema of a version of the kind; undefined when it is not served. */
  readonly schemaOf: (apiVersion: string) => Schema | undefined;
  /** Fields that such a request cannot write. */
  readonly resetFields: FieldSet;
  /** The empty object: `{ spec: {} }` for most built-in kinds. Left out: nothing. */
  readonly blank?: JsonObject;
}

/** An object without any fields set. */
export function blankObject({ apiVersion, kind, blank }: FieldScope): JsonObject {
  return extendObject(blank ?? {}, { apiVersion, kind });
}

const status = setOf([fieldElement("status")]);
const spec = setOf([fieldElement("spec")]);

/** Metadata that status writes of some kinds do not own. */
const metadataOfStatus: Readonly<Record<string, FieldSet>> = {
  CustomResourceDefinition: setOf([fieldElement("spec")], [fieldElement("metadata")]),
  Deployment: setOf([fieldElement("spec")], [fieldElement("metadata"), fieldElement("labels")]),
};

/**
 * For a kind with a status subresource, writes to the object reset the status, and writes to the status reset
 * everything else.
 */
export function resetFieldsOf(hasStatus: boolean, subresource: string, kind = ""): FieldSet {
  if (subresource === "status") return metadataOfStatus[kind] ?? spec;
  return hasStatus ? status : noFields;
}

const unowned = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
].map((name) => [fieldElement("metadata"), fieldElement(name)]);

const identifying = setOf([fieldElement("apiVersion")], [fieldElement("kind")], [fieldElement("metadata")], ...unowned);

/** Without identity fields, which have no owner. */
export function withoutIdentity(fields: FieldSet): FieldSet {
  return difference(fields, identifying);
}

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = ownValue(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

export function withMetadataField(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _, ...rest } = metadataOf(object);
  return { ...object, metadata: value === undefined ? rest : { ...rest, [name]: value } };
}

/** Managed fields are not tracked themselves. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const hasAny = Object.hasOwn(metadataOf(object), "managedFields");
  return hasAny ? withMetadataField(object, "managedFields", undefined) : object;
}
