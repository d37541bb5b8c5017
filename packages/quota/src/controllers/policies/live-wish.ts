import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { GrantOrigin } from "../../core/policy/grant-origin.ts";
import { compileGrantPolicy } from "../../core/policy/grant-policy.ts";
import { sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { grantPoliciesType } from "../../views/quota-types.ts";
import type { ObjectReader } from "../ownership/objects/object-reader.ts";
import { placeOfGrant, planeOfLabel, renderGrant } from "./grant-wishes.ts";

/** What there should be for an origin, by what servers say when they are asked. */
export type LiveWish =
  | { readonly outcome: "grant"; readonly place: ObjectPlace }
  | { readonly outcome: "nothing" }
  /** A policy that does not work takes nothing away. */
  | { readonly outcome: "unknown" };

/**
 * Nothing is taken away on what was heard some time ago: the policy and the object are read first. Rejects when they
 * cannot be.
 */
export async function liveWish(
  origin: GrantOrigin,
  { planes, reader }: { readonly planes: ControlPlanes; readonly reader: ObjectReader },
  signal: AbortSignal,
): Promise<LiveWish> {
  const policyPlane = planeOfLabel(origin.policyPlane, planes);
  const plane = planeOfLabel(origin.plane, planes);
  const policies = planes.client(policyPlane).resource(grantPoliciesType, parseGrantCreationPolicy);
  const policy = await policies.find({ name: origin.policy }, signal);
  if (policy === undefined || !isAbout(policy, origin)) return { outcome: "nothing" };
  const compilation = compileGrantPolicy(policy);
  if (!compilation.ok) return { outcome: "unknown" };
  const place = { plane, namespace: origin.namespace, name: origin.name };
  const object = await reader.read({ kind: origin.kind, place }, signal);
  if (object === undefined) return { outcome: "nothing" };
  const rendering = renderGrant(compilation.policy, object, { plane, policyPlane, planes });
  if (rendering.outcome === "differs") return { outcome: "nothing" };
  const granted = rendering.outcome === "grant" ? placeOfGrant(rendering.grant, plane, planes) : undefined;
  return granted === undefined ? { outcome: "unknown" } : { outcome: "grant", place: granted };
}

/** Whether a policy is switched on, and about the kind of the object. */
function isAbout({ enabled, trigger }: GrantCreationPolicy, { kind, policyPlane, plane }: GrantOrigin): boolean {
  const about = { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
  return enabled && sameGroupKind(about, kind) && (policyPlane === "" || policyPlane === plane);
}
