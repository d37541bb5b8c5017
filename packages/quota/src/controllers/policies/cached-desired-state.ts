import { type GrantOrigin, tracedGrant } from "../../core/policy/grant-origin.ts";
import type { RenderedGrant } from "../../core/policy/grant-policy.ts";
import { sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";
import type { KindInformers } from "../kind-informers.ts";
import type { DesiredGrant } from "./grant-writer.ts";
import { keyOfGrant, planeOfLabel, type RenderedTrigger, type Trigger } from "./rendered-grants.ts";

/** The desired grant of an origin according to the caches. */
export type CachedDesiredState =
  | { readonly outcome: "grant"; readonly desired: DesiredGrant }
  | { readonly outcome: "nothing" }
  /** The policy is deleted or disabled: grants stay until their object is gone. */
  | { readonly outcome: "orphaned" }
  /** Cannot be determined, or not yet: existing grants are left alone. */
  | { readonly outcome: "unknown"; readonly problem?: string };

export interface Caches {
  readonly planes: ControlPlanes;
  readonly policies: GrantPolicyCache;
  readonly triggers: KindInformers<RenderedTrigger>;
}

export function policyOf({ policyPlane, policy }: GrantOrigin, planes: ControlPlanes): PolicyKey {
  return { plane: planeOfLabel(policyPlane, planes), name: policy };
}

export function cachedDesiredState(origin: GrantOrigin, { planes, policies, triggers }: Caches): CachedDesiredState {
  const policy = policyOf(origin, planes);
  const indexed = policies.get(policy);
  const plane = planeOfLabel(origin.plane, planes);
  if (indexed?.verdict.state === "invalid") return { outcome: "unknown" };
  if (indexed === undefined || indexed.verdict.state === "disabled") return { outcome: "orphaned" };
  if (!sameGroupKind(indexed.kind, origin.kind)) return { outcome: "nothing" };
  if (policy.plane !== planes.root && policy.plane !== plane) return { outcome: "nothing" };
  const trigger = triggers.get(origin.kind, { plane, namespace: origin.namespace, name: origin.name });
  const rendered = trigger?.renderings.find(
    (each) => each.policy.plane === policy.plane && each.policy.name === policy.name,
  );
  if (trigger === undefined || rendered === undefined) {
    return { outcome: triggers.phase(origin.kind) === "starting" ? "unknown" : "nothing" };
  }
  if (rendered.compiled !== indexed.verdict.compiled) return { outcome: "unknown" }; // refilter is in progress
  const { rendering } = rendered;
  if (rendering.outcome === "failed") return { outcome: "unknown", problem: rendering.message };
  return desiredGrant(origin, trigger, rendering.grant, planes);
}

function desiredGrant(
  origin: GrantOrigin,
  trigger: Trigger,
  grant: RenderedGrant,
  planes: ControlPlanes,
): CachedDesiredState {
  const key = keyOfGrant(grant, planeOfLabel(origin.plane, planes), planes);
  if (key !== undefined) {
    return { outcome: "grant", desired: { origin, trigger, key, grant: tracedGrant(grant, origin, trigger.uid) } };
  }
  const { kind = "", name = "" } = grant.parent ?? {};
  return { outcome: "unknown", problem: `spec.target.parentContext: ${kind} "${name}" has no control plane` };
}
