import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { type JsonObject, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GrantOrigin, originId, originIn } from "../../core/policy/grant-origin.ts";
import { parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { grantPoliciesType } from "../../views/quota-types.ts";
import type { ObjectChange, ObjectRemoval } from "../object-change.ts";

/**
 * What to warn of when a user changes or deletes a grant that a policy created. Undefined when the policy is gone or disabled
 * and so leaves the grant alone, and when it cannot be read: a warning is not worth a rejection.
 */
export async function managedGrantWarning(
  request: Pick<ObjectChange | ObjectRemoval, "object" | "oldObject">,
  planes: ControlPlanes,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { object, oldObject } = request;
  const origin = oldObject === undefined ? undefined : originOf(oldObject);
  if (origin === undefined || oldObject === undefined || isSameToPolicy(oldObject, object)) return undefined;
  if (!(await isInEffect(origin, planes, signal).catch(() => false))) return undefined;
  const consequence = object === undefined ? "create it again" : "revert the change";
  return `policy ${quote(origin.policy)} manages this grant and will ${consequence}`;
}

async function isInEffect(origin: GrantOrigin, planes: ControlPlanes, signal: AbortSignal): Promise<boolean> {
  const plane = origin.policyPlane === "" ? planes.root : origin.policyPlane;
  const policies = planes.client(plane).resource(grantPoliciesType, parseGrantCreationPolicy);
  const policy = await policies.find({ name: origin.policy }, signal);
  return policy?.enabled === true;
}

/** Whether the policy has no reason to write the grant again: it leaves labels and annotations of other names alone. */
function isSameToPolicy(before: JsonObject, now: JsonObject | undefined): boolean {
  if (now === undefined) return false;
  const [old, current] = [originOf(before), originOf(now)];
  const isSameOrigin = old !== undefined && current !== undefined && originId(old) === originId(current);
  return isSameOrigin && jsonEquals(before["spec"] ?? null, now["spec"] ?? null);
}

function originOf(grant: JsonObject): GrantOrigin | undefined {
  return originIn((grant["metadata"] ?? {}) as ObjectMeta);
}
