import { failure, failureWithoutReason, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

const generic = "the server rejected our request due to an error in our request";

/** A valid patch that does not apply to its object. Kubernetes does not tell the client why. */
export class PatchRejected extends StatusError {
  readonly detail: string;

  constructor(because: string) {
    super(failure("Invalid", generic, {}));
    this.detail = because;
  }
}

export function badPatch(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}

/** An error without a reason, as in Kubernetes. */
export function failureWithoutReasonError(message: string): StatusError {
  return new StatusError(failureWithoutReason(message));
}

/** A merge patch must be an object; `prefix` precedes Kubernetes' error text. */
export function patchObject(patch: JsonValue, prefix: "" | "error decoding patch: "): JsonObject {
  if (patch === null) {
    if (prefix === "") return {};
    throw badPatch("Invalid JSON Patch");
  }
  if (!isJsonObject(patch)) throw badPatch(`${prefix}${typeFault("object", patch)}`);
  return requireShallow(patch);
}

/** Rejects deeply nested values before anything recurses into them. */
export function requireShallow<Value extends JsonValue>(value: Value): Value {
  if (isTooDeep(value)) throw badPatch(`the object is nested deeper than ${depthMax} levels`);
  return value;
}

export function isTooDeep(value: JsonValue, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > depthMax) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (isTooDeep(child, depth + 1)) return true;
  }
  return false;
}
