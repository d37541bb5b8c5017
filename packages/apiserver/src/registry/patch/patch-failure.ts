import { failure, StatusError, unexplained } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

const generic = "the server rejected our request due to an error in our request";

/** A patch that is well formed but does not fit its object. Kubernetes keeps the reason from the client. */
export class PatchRejected extends StatusError {
  readonly because: string;

  constructor(because: string) {
    super(failure("Invalid", generic, {}));
    this.because = because;
  }
}

export function badPatch(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}

/** An error that Kubernetes gives no reason for. */
export function plainFailure(message: string): StatusError {
  return new StatusError(unexplained(message));
}

/** A merge patch must be an object; `prefix` is what Kubernetes says before it complains. */
export function patchObject(patch: JsonValue, prefix: "" | "error decoding patch: "): JsonObject {
  if (patch === null) {
    if (prefix === "") return {};
    throw badPatch("Invalid JSON Patch");
  }
  if (!isJsonObject(patch)) throw badPatch(`${prefix}${typeFault("object", patch)}`);
  return requireShallow(patch);
}

/** Values that nest deeper than any object are refused before something recurses into them. */
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
