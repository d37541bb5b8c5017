import { invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { metadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { type MetadataChange, withFieldOf, withMetadata, without } from "../metadata/metadata.ts";
import { metadataChangeIssues } from "../metadata/metadata-change-rules.ts";
import type { Subresource, WriteRequest } from "../object-request.ts";
import type { ApiObject } from "./api-object.ts";
import { prunedObject } from "./fit-cache.ts";
import type { ServedKind } from "./served-kind.ts";

/** Defaults, prunes and validates a new object. Throws a StatusError with all issues. */
export function prepareNew(object: ApiObject, request: WriteRequest): ApiObject {
  const { kind } = request;
  const bare = kind.isCustom && kind.hasStatus ? without(object, "status") : object;
  const prepared = kind.rules.prepareCreate?.(bare) ?? bare;
  const shaped = defaulted(prepared, kind);
  throwIfInvalid(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...(kind.rules.validate?.(shaped, undefined, "") ?? []),
  ]);
  for (const warning of kind.rules.warnings?.(shaped, undefined) ?? []) request.warn(warning);
  return shaped;
}

/** The same for a new object with a status. */
export function prepareNewWithStatus(object: ApiObject, { kind }: Pick<WriteRequest, "kind">): ApiObject {
  const shaped = defaulted(object, kind);
  throwIfInvalid(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...(kind.rules.validate?.(shaped, undefined, "") ?? []),
  ]);
  return shaped;
}

/** Defaults, prunes and validates an updated object. Throws a StatusError when it or the change is invalid. */
export function prepareUpdate(object: ApiObject, old: ApiObject, request: WriteRequest): ApiObject {
  const { kind, subresource } = request;
  const kept = keepOtherSubresource(object, old, kind, subresource);
  const prepared = kind.rules.prepareUpdate?.(kept, old, subresource) ?? kept;
  const shaped = withGeneration(defaulted(prepared, kind), old, kind);
  throwIfInvalid(object, kind, [
    ...metadataIssues(shaped.metadata, kind),
    ...metadataChangeIssues(shaped.metadata, old.metadata),
    ...(kind.rules.validate?.(shaped, old, subresource) ?? []),
  ]);
  for (const warning of kind.rules.warnings?.(shaped, old) ?? []) request.warn(warning);
  return shaped;
}

/** A write to the object keeps the stored status; a write to the status keeps everything else. */
function keepOtherSubresource(
  object: ApiObject,
  old: ApiObject,
  kind: ServedKind,
  subresource: Subresource,
): ApiObject {
  if (subresource === "status") return statusOnly(object, old, kind);
  if (subresource === "finalize") return withFieldOf(object, "status", old);
  return kind.hasStatus ? withFieldOf(object, "status", old) : object;
}

/** The stored object with the status of another. */
function statusOnly(object: ApiObject, old: ApiObject, kind: ServedKind): ApiObject {
  const withStatus = withFieldOf(old, "status", object);
  const { managedFields, labels, annotations, finalizers, ownerReferences, resourceVersion } = object.metadata;
  if (kind.isCustom) return withMetadata(withStatus, { managedFields, resourceVersion });
  const sent: MetadataChange = { labels, annotations, finalizers, ownerReferences };
  const kept = metadataKeptByStatus[kind.kind] ?? [];
  const changed = Object.fromEntries(Object.entries(sent).filter(([field]) => !kept.includes(field)));
  return withMetadata(withStatus, { ...changed, managedFields, resourceVersion });
}

/** Metadata that a status write does not change. Most built-in kinds let it change everything, custom kinds nothing. */
const metadataKeptByStatus: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["labels"],
  Pod: ["ownerReferences"],
};

/** `generation` counts changes of the desired state. */
function withGeneration(object: ApiObject, old: ApiObject, kind: ServedKind): ApiObject {
  const before = old.metadata.generation;
  if (!kind.hasGeneration) return withMetadata(object, { generation: before });
  const generation = sameDesiredState(object, old, kind) ? before : (before ?? 0) + 1;
  return object.metadata.generation === generation ? object : withMetadata(object, { generation });
}

function sameDesiredState(object: ApiObject, old: ApiObject, kind: ServedKind): boolean {
  return containsDesiredState(object, old, kind) && containsDesiredState(old, object, kind);
}

/** Whether the desired state of one object is contained in that of another. */
function containsDesiredState(object: JsonObject, other: JsonObject, { hasStatus }: ServedKind): boolean {
  for (const field of Object.keys(object)) {
    if (field === "metadata" || (hasStatus && field === "status")) continue;
    if (!Object.hasOwn(other, field) || !jsonEquals(object[field] as JsonValue, other[field] as JsonValue))
      return false;
  }
  return true;
}

/** Prunes and defaults; validation is up to the rules of the kind. */
function defaulted(object: ApiObject, kind: ServedKind): ApiObject {
  return kind.isCustom ? (prunedObject(kind.schema, object).value as ApiObject) : object;
}

function throwIfInvalid(object: ApiObject, kind: ServedKind, issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  // Errors of a second view name the kind that objects are stored as.
  const shown = kind.storedAs === undefined ? kind : { group: "", kind: kind.kind };
  throw new StatusError(invalidObject(shown, object.metadata.name ?? "", issues));
}
