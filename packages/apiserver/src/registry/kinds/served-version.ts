import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { shaped } from "@milo-quota/kubernetes/schema/shape-value.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "./api-object.ts";
import type { ServedKind } from "./served-kind.ts";

/**
 * An object as one version of its kind shows it. Stored text is served as it is when it was written under the schema
 * that holds now and in the version asked for, which is nearly always; else it is defaulted and pruned anew.
 */
export function servedText(stored: StoredObject, kind: ServedKind): string {
  return isCurrent(stored, kind) ? stored.text : writeJson(servedObject(stored, kind));
}

export function servedObject(stored: StoredObject, kind: ServedKind): ApiObject {
  const object = stored.object as ApiObject;
  if (isCurrent(stored, kind)) return object;
  if (kind.storage !== undefined) return kind.storage.fromStored(object);
  const versioned = { ...object, apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind } as ApiObject;
  return shaped(kind.schema, versioned, true).value as ApiObject;
}

/** An object of any version in the form that it is stored in. */
export function storedForm(object: ApiObject, kind: ServedKind): ApiObject {
  if (kind.storage !== undefined) return kind.storage.toStored(object);
  if (kind.version === kind.storageVersion) return object;
  return { ...object, apiVersion: formatApiVersion(kind.group, kind.storageVersion) } as ApiObject;
}

function isCurrent({ revision }: StoredObject, kind: ServedKind): boolean {
  const isNewEnough = revision === 0 || revision >= (kind.schemaRevision ?? 0);
  return isNewEnough && kind.version === kind.storageVersion && kind.storedAs === undefined;
}
