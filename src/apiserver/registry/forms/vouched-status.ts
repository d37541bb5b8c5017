import type { Clock } from "../../../protocol/clock.ts";
import { extended } from "../../../protocol/extended.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../protocol/json-value.ts";
import type { WriteRequest } from "../object-request.ts";
import type { ApiObject } from "../served-kind.ts";
import { statusOnly } from "../shape.ts";
import type { NextState } from "../update.ts";
import { formedStatus } from "./forms.ts";

/** The state after a part of this program sent an object with another status, on the version that is stored. */
export function nextByWord(
  sent: JsonValue,
  request: WriteRequest,
  clock: Clock,
  carefully: (clock: Pick<Clock, "now">) => NextState,
): NextState {
  return (current) => {
    if (current === undefined || !isStatusOf(current, sent, request)) return carefully(clock)(current);
    const next: JsonObject = extended(current as JsonObject, { status: sent["status"] as JsonValue });
    const made = (nowMs: number): ApiObject =>
      statusOnly(carefully({ now: () => nowMs })(current), current, request.kind);
    return formedStatus({ old: current, next, isWhole: true }, request, clock.now(), made);
  };
}

/** Whether an object is no more than another status for this very version of the stored one. */
function isStatusOf(current: ApiObject, sent: JsonValue, { subresource }: WriteRequest): sent is JsonObject {
  if (subresource !== "status" || !isJsonObject(sent) || !isJsonObject(sent["metadata"] ?? null)) return false;
  const { uid, resourceVersion, name, namespace, ...others } = sent["metadata"] as JsonObject;
  const { metadata } = current;
  const isVersion = uid === metadata.uid && resourceVersion === metadata.resourceVersion;
  return isVersion && name === metadata.name && namespace === metadata.namespace && isEmpty(others);
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}
