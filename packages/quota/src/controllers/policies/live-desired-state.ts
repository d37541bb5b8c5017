import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { GrantOrigin } from "../../core/policy/grant-origin.ts";
import { compileGrantPolicy } from "../../core/policy/grant-policy.ts";
import { sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { grantPoliciesType } from "../../views/quota-types.ts";
import { factsOf, type ObjectReader } from "../ownership/objects/object-reader.ts";
import { keyOfGrant, planeOfLabel, renderGrant } from "./rendered-grants.ts";

/** The desired grant of an origin according to the API servers. */
export type LiveDesiredState =
  | { readonly outcome: "grant"; readonly key: PlaneObjectKey }
  | { readonly outcome: "nothing" }
  /** The policy is deleted or disabled, and the object exists. */
  | { readonly outcome: "orphaned"; readonly triggerUid: string }
  /** The policy is invalid, or its evaluation fails: nothing is deleted. */
  | { readonly outcome: "unknown" };

/** Reads the policy and the object before grants are deleted, because caches may be outdated. Rejects if a read fails. */
export async function liveDesiredState(
  origin: GrantOrigin,
  { planes, reader }: { readonly planes: ControlPlanes; readonly reader: ObjectReader },
  signal: AbortSignal,
): Promise<LiveDesiredState> {
  const policyPlane = planeOfLabel(origin.policyPlane, planes);
  const plane = planeOfLabel(origin.plane, planes);
  const policies = planes.client(policyPlane).resource(grantPoliciesType, parseGrantCreationPolicy);
  const policy = await policies.find({ name: origin.policy }, signal);
  const isInEffect = policy?.enabled === true;
  if (isInEffect && !appliesTo(policy, origin)) return { outcome: "nothing" };
  const compilation = isInEffect ? compileGrantPolicy(policy) : undefined;
  if (compilation?.ok === false) return { outcome: "unknown" };
  const key = { plane, namespace: origin.namespace, name: origin.name };
  const object = await reader.read({ kind: origin.kind, key }, signal);
  if (object === undefined) return { outcome: "nothing" };
  if (compilation === undefined) return { outcome: "orphaned", triggerUid: factsOf(object).uid };
  const rendering = renderGrant(compilation.policy, object, { plane, policyPlane, planes });
  if (rendering.outcome === "differs") return { outcome: "nothing" };
  const granted = rendering.outcome === "grant" ? keyOfGrant(rendering.grant, plane, planes) : undefined;
  return granted === undefined ? { outcome: "unknown" } : { outcome: "grant", key: granted };
}

/** Whether a policy applies to the kind and control plane of the object. */
function appliesTo({ trigger }: GrantCreationPolicy, { kind, policyPlane, plane }: GrantOrigin): boolean {
  const triggerKind = { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
  return sameGroupKind(triggerKind, kind) && (policyPlane === "" || policyPlane === plane);
}
