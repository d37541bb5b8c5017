import { invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { metadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { type MetadataChange, withFieldOf, withMetadata, without } from "../metadata/metadata.ts";
import { metadataChangeIssues } from "../metadata/metadata-change-rules.ts";
import type { Subresource, WriteRequest } from "../object-request.ts";
import type { ApiObject } from "./api-object.ts";
import { shapedObject } from "./fit-cache.ts";
import type { ServedKind } from "./served-kind.ts";

/** A new object in the shape it will be stored in. Throws when it is invalid, with all that is wrong. */
export function shapedNew(object: ApiObject, request: WriteRequest): ApiObject {
  const { kind } = request;
  const bare = kind.isCustom && kind.hasStatus ? without(object, "status") : object;
  const prepared = kind.rules.prepareCreate?.(bare) ?? bare;
  const shaped = defaulted(prepared, kind);
  refuse(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...(kind.rules.validate?.(shaped, undefined, "") ?? []),
  ]);
  for (const warning of kind.rules.warnings?.(shaped, undefined) ?? []) request.warn(warning);
  return shaped;
}

/** The same for a new object that comes with its status. */
export function shapedWhole(object: ApiObject, { kind }: Pick<WriteRequest, "kind">): ApiObject {
  const shaped = defaulted(object, kind);
  refuse(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...(kind.rules.validate?.(shaped, undefined, "") ?? []),
  ]);
  return shaped;
}

/** A changed object in the shape it will be stored in. Throws when it or the change is invalid. */
export function shapedUpdate(object: ApiObject, old: ApiObject, request: WriteRequest): ApiObject {
  const { kind, subresource } = request;
  const kept = keepOthers(object, old, kind, subresource);
  const prepared = kind.rules.prepareUpdate?.(kept, old, subresource) ?? kept;
  const shaped = counted(defaulted(prepared, kind), old, kind);
  refuse(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...metadataChangeIssues(shaped.metadata, old.metadata),
    ...(kind.rules.validate?.(shaped, old, subresource) ?? []),
  ]);
  for (const warning of kind.rules.warnings?.(shaped, old) ?? []) request.warn(warning);
  return shaped;
}

/** A write of the object leaves its status alone; a write of the status leaves all else. */
function keepOthers(object: ApiObject, old: ApiObject, kind: ServedKind, subresource: Subresource): ApiObject {
  if (subresource === "status") return statusOnly(object, old, kind);
  if (subresource === "finalize") return withFieldOf(object, "status", old);
  return kind.hasStatus ? withFieldOf(object, "status", old) : object;
}

/** The object that is stored when only the status of this one counts. */
function statusOnly(object: ApiObject, old: ApiObject, kind: ServedKind): ApiObject {
  const withStatus = withFieldOf(old, "status", object);
  const { managedFields, labels, annotations, finalizers, ownerReferences, resourceVersion } = object.metadata;
  if (kind.isCustom) return withMetadata(withStatus, { managedFields, resourceVersion });
  const sent: MetadataChange = { labels, annotations, finalizers, ownerReferences };
  const kept = keptByStatus[kind.kind] ?? [];
  const changed = Object.fromEntries(Object.entries(sent).filter(([field]) => !kept.includes(field)));
  return withMetadata(withStatus, { ...changed, managedFields, resourceVersion });
}

/** Metadata that a write of the status leaves alone. Most built-in kinds let it change all, custom ones nothing. */
const keptByStatus: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["labels"],
  Pod: ["ownerReferences"],
};

/** `generation` counts the changes of what the user asks for. */
function counted(object: ApiObject, old: ApiObject, kind: ServedKind): ApiObject {
  const before = old.metadata.generation;
  if (!kind.hasGeneration) return withMetadata(object, { generation: before });
  const generation = sameIntent(object, old, kind) ? before : (before ?? 0) + 1;
  return object.metadata.generation === generation ? object : withMetadata(object, { generation });
}

function sameIntent(object: ApiObject, old: ApiObject, kind: ServedKind): boolean {
  return isIntentIn(object, old, kind) && isIntentIn(old, object, kind);
}

/** Whether all that one object asks for is asked for by the other. */
function isIntentIn(object: JsonObject, other: JsonObject, { hasStatus }: ServedKind): boolean {
  for (const field of Object.keys(object)) {
    if (field === "metadata" || (hasStatus && field === "status")) continue;
    if (!Object.hasOwn(other, field) || !jsonEquals(object[field] as JsonValue, other[field] as JsonValue))
      return false;
  }
  return true;
}

/** Known fields only, defaults filled in; what is wrong with an object is for its rules to say. */
function defaulted(object: ApiObject, kind: ServedKind): ApiObject {
  return kind.isCustom ? (shapedObject(kind.schema, object).value as ApiObject) : object;
}

function refuse(object: ApiObject, kind: ServedKind, issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  // A second view of objects is refused as the first one would be.
  const shown = kind.storedAs === undefined ? kind : { group: "", kind: kind.kind };
  throw new StatusError(invalidObject(shown, object.metadata.name ?? "", issues));
}
