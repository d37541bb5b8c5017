import { type GrantOrigin, tracedGrant } from "../../core/policy/grant-origin.ts";
import type { RenderedGrant } from "../../core/policy/grant-policy.ts";
import { sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";
import type { FollowedKinds } from "../followed-kinds.ts";
import { placeOfGrant, planeOfLabel, type Trigger, type WishfulTrigger } from "./grant-wishes.ts";
import type { WantedGrant } from "./grant-writer.ts";

/** What there should be for an origin, by what was heard so far. */
export type KnownWish =
  | { readonly outcome: "grant"; readonly wanted: WantedGrant }
  | { readonly outcome: "nothing" }
  /** Nobody can tell, or not yet: what is there stays as it is. */
  | { readonly outcome: "unknown"; readonly problem?: string };

export interface Heard {
  readonly planes: ControlPlanes;
  readonly index: GrantPolicyIndex;
  readonly followed: FollowedKinds<WishfulTrigger>;
}

export function policyOf({ policyPlane, policy }: GrantOrigin, planes: ControlPlanes): PolicyPlace {
  return { plane: planeOfLabel(policyPlane, planes), name: policy };
}

export function knownWish(origin: GrantOrigin, { planes, index, followed }: Heard): KnownWish {
  const policy = policyOf(origin, planes);
  const indexed = index.get(policy);
  const plane = planeOfLabel(origin.plane, planes);
  if (indexed?.verdict.state === "invalid") return { outcome: "unknown" };
  if (indexed?.verdict.state !== "ready" || !sameGroupKind(indexed.kind, origin.kind)) return { outcome: "nothing" };
  if (policy.plane !== planes.root && policy.plane !== plane) return { outcome: "nothing" };
  const trigger = followed.get(origin.kind, { plane, namespace: origin.namespace, name: origin.name });
  const wish = trigger?.wishes.find((each) => each.policy.plane === policy.plane && each.policy.name === policy.name);
  if (trigger === undefined || wish === undefined) {
    return { outcome: followed.phase(origin.kind) === "starting" ? "unknown" : "nothing" };
  }
  if (wish.compiled !== indexed.verdict.compiled) return { outcome: "unknown" }; // it is being made anew
  if (wish.rendering.outcome === "failed") return { outcome: "unknown", problem: wish.rendering.message };
  return wanted(origin, trigger, wish.rendering.grant, planes);
}

function wanted(origin: GrantOrigin, trigger: Trigger, grant: RenderedGrant, planes: ControlPlanes): KnownWish {
  const place = placeOfGrant(grant, planeOfLabel(origin.plane, planes), planes);
  if (place !== undefined) {
    return { outcome: "grant", wanted: { origin, trigger, place, grant: tracedGrant(grant, origin, trigger.uid) } };
  }
  const { kind = "", name = "" } = grant.parent ?? {};
  return { outcome: "unknown", problem: `spec.target.parentContext: ${kind} "${name}" has no control plane` };
}
