import { type JsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { withMetadata } from "./metadata/metadata.ts";
import type { WriteRequest } from "./object-request.ts";
import { type FieldScope, resetFieldsOf } from "./patch/managed/field-scope.ts";
import { trackUpdate } from "./patch/managed/track-update.ts";

/** The scope of managed fields for a request. */
export function fieldScopeOf({ kind, subresource }: WriteRequest): FieldScope {
  return {
    apiVersion: formatApiVersion(kind.group, kind.version),
    kind: kind.kind,
    subresource,
    // All versions of a kind have the same schema here.
    schemaOf: () => kind.schema.schema,
    resetFields: resetFieldsOf(kind.hasStatus, subresource, kind.isCustom ? "" : kind.kind),
    ...(kind.rules.blank === undefined ? {} : { blank: kind.rules.blank() }),
  };
}

/** An object with its managed fields after a create, update or patch. */
export function withManagedFields(
  live: ApiObject | undefined,
  updated: ApiObject,
  request: WriteRequest,
  nowMs: number,
): ApiObject {
  const scope = fieldScopeOf(request);
  const managedFields = trackUpdate({ live, updated, manager: request.manager, scope, nowMs });
  return withMetadata(updated, { managedFields });
}

/** Whether only the timestamps of managed fields change: such a write is skipped. */
export function equalExceptTimes(object: ApiObject, old: ApiObject): boolean {
  return (
    sameMembers(object, old, "metadata") &&
    sameMembers(object.metadata as JsonObject, old.metadata as JsonObject, "managedFields") &&
    jsonEquals(timeless(object), timeless(old))
  );
}

/** Whether all members but one are equal. */
function sameMembers(object: JsonObject, old: JsonObject, except: string): boolean {
  let count = Object.hasOwn(old, except) ? 1 : 0;
  for (const name of Object.keys(object)) {
    if (name === except) continue;
    if (!Object.hasOwn(old, name) || !jsonEquals(object[name] as JsonValue, old[name] as JsonValue)) return false;
    count += 1;
  }
  return count === Object.keys(old).length;
}

function timeless({ metadata }: ApiObject): JsonValue {
  const entries = metadata.managedFields?.map(({ time: _, ...entry }) => entry) ?? null;
  return entries as unknown as JsonValue;
}
