import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** The number of claims that a policy has created; undefined if this process does not know. */
export type CountClaims = (policy: { readonly plane: string; readonly name: string }) => number | undefined;

interface PolicyWrite {
  readonly plane: string;
  readonly name: string;
  readonly old: JsonObject;
  /** Undefined when the policy is deleted. */
  readonly now: JsonObject | undefined;
}

/** The warning for a write that ends the enforcement of a claim policy in use; undefined for all other writes. */
export function endOfEnforcement({ plane, name, old, now }: PolicyWrite, countClaims: CountClaims): string | undefined {
  if (!isEnforced(old) || (now !== undefined && !isDisabled(now))) return undefined;
  const verb = now === undefined ? "deleting" : "disabling";
  const count = countClaims({ plane, name });
  if (count === 0) return undefined;
  const claims = count === undefined ? "the claims" : `the ${count} ${count === 1 ? "claim" : "claims"}`;
  return `${verb} this policy ends its enforcement; ${claims} of its objects ${count === 1 ? "stays" : "stay"}`;
}

function isEnforced(policy: JsonObject): boolean {
  return !isDisabled(policy) && part(policy, "status")["enforced"] !== undefined;
}

function isDisabled(policy: JsonObject): boolean {
  const spec = part(policy, "spec");
  return ownValue(spec, "disabled") === true || ownValue(spec, "enabled") === false;
}

function part(object: JsonObject, field: string): JsonObject {
  const value = ownValue(object, field);
  return isJsonObject(value) ? value : {};
}
