import { type JsonValue, jsonEquals } from "../../protocol/json-value.ts";
import { withMetadata } from "./metadata.ts";
import type { WriteRequest } from "./object-request.ts";
import type { ApiObject } from "./served-kind.ts";

/** An object with its managed fields as they are after a create, an update or a patch. */
export function ownedAfterUpdate(
  _live: ApiObject | undefined,
  updated: ApiObject,
  _request: WriteRequest,
  _nowMs: number,
): ApiObject {
  return updated;
}

/** Whether nothing changes but the times at which fields were written: then nothing is written at all. */
export function sameButForTimes(object: ApiObject, old: ApiObject): boolean {
  return jsonEquals(timeless(object), timeless(old));
}

function timeless(object: ApiObject): JsonValue {
  const managedFields = object.metadata.managedFields?.map(({ time: _, ...entry }) => entry);
  return withMetadata(object, { managedFields });
}
