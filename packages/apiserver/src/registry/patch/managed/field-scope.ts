import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isJsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { difference, type FieldSet, noFields, setOf } from "../fields/field-set.ts";
import { fieldElement } from "../fields/path-element.ts";

/** What a request writes: objects of a kind in one version, whole or one subresource of them. */
export interface FieldScope {
  /** The version of the request, with its group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The schema of a version of the kind; undefined when it is not served. */
  readonly schemaOf: (apiVersion: string) => Schema | undefined;
  /** Fields that such a request cannot write, whatever it says. */
  readonly resetFields: FieldSet;
  /** What an object has when nobody set anything: `{ spec: {} }` for most built-in kinds. Left out: nothing. */
  readonly blank?: JsonObject;
}

/** An object that nobody set anything of. */
export function blankObject({ apiVersion, kind, blank }: FieldScope): JsonObject {
  return extended(blank ?? {}, { apiVersion, kind });
}

const status = setOf([fieldElement("status")]);
const spec = setOf([fieldElement("spec")]);

/** What a write of the status of some kinds says of their metadata is nobody's. */
const metadataOfStatus: Readonly<Record<string, FieldSet>> = {
  CustomResourceDefinition: setOf([fieldElement("spec")], [fieldElement("metadata")]),
  Deployment: setOf([fieldElement("spec")], [fieldElement("metadata"), fieldElement("labels")]),
};

/** A kind with a status keeps it from writes of the object, and all else from writes of the status. */
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

/** Without what makes an object itself, which nobody owns. */
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

/** The object without its managed fields, which are not fields of their own. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const hasAny = Object.hasOwn(metadataOf(object), "managedFields");
  return hasAny ? withMetadataField(object, "managedFields", undefined) : object;
}
