import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "./api-object.ts";
import type { ServedKind } from "./served-kind.ts";

/**
 * An object in one version of its kind. Stored text is served unchanged if it was written in that version under the
 * current schema, as nearly always; else the object is defaulted and pruned again.
 */
export function servedText(stored: StoredObject, kind: ServedKind): string {
  return isCurrent(stored, kind) ? stored.text : writeJson(servedObject(stored, kind));
}

export function servedObject(stored: StoredObject, kind: ServedKind): ApiObject {
  const object = stored.object as ApiObject;
  if (isCurrent(stored, kind)) return object;
  if (kind.storage !== undefined) return kind.storage.fromStored(object);
  const versioned = { ...object, apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind } as ApiObject;
  return pruneAndDefault(kind.schema, versioned, true).value as ApiObject;
}

/** Converts an object of any version to the stored form. */
export function toStoredForm(object: ApiObject, kind: ServedKind): ApiObject {
  if (kind.storage !== undefined) return kind.storage.toStored(object);
  if (kind.version === kind.storageVersion) return object;
  return { ...object, apiVersion: formatApiVersion(kind.group, kind.storageVersion) } as ApiObject;
}

function isCurrent({ revision }: StoredObject, kind: ServedKind): boolean {
  const isNewEnough = revision === 0 || revision >= (kind.schemaRevision ?? 0);
  return isNewEnough && kind.version === kind.storageVersion && kind.storedAs === undefined;
}
