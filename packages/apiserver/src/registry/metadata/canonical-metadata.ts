import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isTime } from "@milo-quota/kubernetes/protocol/time.ts";

/**
 * Fast check that metadata is canonical: all fields are known, of their type and not empty. Nearly all metadata that
 * programs send or the server stores is. False means that the full decoding is needed.
 */
export function isCanonicalMetadata(metadata: JsonObject): boolean {
  for (const name of Object.keys(metadata)) if (!isCanonicalField(name, metadata[name] as JsonValue)) return false;
  return true;
}

function isCanonicalField(name: string, value: JsonValue): boolean {
  switch (name) {
    case "name":
    case "namespace":
    case "uid":
    case "resourceVersion":
    case "generateName":
    case "selfLink":
      return typeof value === "string" && value !== "";
    case "generation":
    case "deletionGracePeriodSeconds":
      return Number.isSafeInteger(value) && value !== 0;
    case "creationTimestamp":
    case "deletionTimestamp":
      return typeof value === "string" && isTime(value);
    case "labels":
    case "annotations":
      return isJsonObject(value) && isFilledWith(Object.values(value), isText);
    case "finalizers":
      return Array.isArray(value) && isFilledWith(value, isText);
    case "ownerReferences":
      return Array.isArray(value) && isFilledWith(value, isOwner);
    case "managedFields":
      return Array.isArray(value) && isFilledWith(value, isManagedFields);
    default:
      return false;
  }
}

function isFilledWith(values: readonly JsonValue[], isRight: (value: JsonValue) => boolean): boolean {
  return values.length > 0 && values.every(isRight);
}

function isText(value: JsonValue): boolean {
  return typeof value === "string";
}

function isOwner(owner: JsonValue): boolean {
  return isJsonObject(owner) && Object.keys(owner).every((name) => isOwnerField(name, owner[name] as JsonValue));
}

function isOwnerField(name: string, value: JsonValue): boolean {
  switch (name) {
    case "apiVersion":
    case "kind":
    case "name":
    case "uid":
      return typeof value === "string";
    case "controller":
    case "blockOwnerDeletion":
      return typeof value === "boolean";
    default:
      return false;
  }
}

function isManagedFields(entry: JsonValue): boolean {
  return isJsonObject(entry) && Object.keys(entry).every((name) => isEntryField(name, entry[name] as JsonValue));
}

function isEntryField(name: string, value: JsonValue): boolean {
  switch (name) {
    case "manager":
    case "operation":
    case "apiVersion":
    case "fieldsType":
    case "subresource":
      return typeof value === "string";
    case "time":
      return typeof value === "string" && isTime(value);
    case "fieldsV1":
      return isJsonObject(value);
    default:
      return false;
  }
}
