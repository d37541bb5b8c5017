import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GrantOrigin } from "../../core/policy/grant-origin.ts";
import type { CompiledGrantPolicy, GrantRendering, RenderedGrant } from "../../core/policy/grant-policy.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { type ControlPlanes, planeLabel } from "../../views/control-planes.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";
import { factsOf } from "../ownership/objects/object-reader.ts";

/** The object that a grant is created for. */
export interface Trigger {
  readonly uid: string;
  readonly apiVersion: string;
  readonly terminating: boolean;
}

/** The result of evaluating a grant policy for an object. */
export interface PolicyRendering {
  readonly policy: PolicyKey;
  /** The version of the policy that was evaluated. */
  readonly compiled: CompiledGrantPolicy;
  readonly rendering: Exclude<GrantRendering, { readonly outcome: "differs" }>;
}

/** The cached part of an object with grants: the renderings, without the object itself, which may be large. */
export interface RenderedTrigger extends Trigger {
  readonly renderings: readonly PolicyRendering[];
}

/** Undefined if no policy matches the object. */
export function renderGrants(
  object: JsonObject,
  { plane, kind }: { readonly plane: string; readonly kind: GroupKind },
  { planes, policies }: { readonly planes: ControlPlanes; readonly policies: GrantPolicyCache },
): RenderedTrigger | undefined {
  const renderings = policies.policiesFor(kind, plane).flatMap(({ compiled, plane: policyPlane, policy }) => {
    const policyKey = { plane: policyPlane, name: policy.metadata.name ?? "" };
    const rendering = renderGrant(compiled, object, { plane, policyPlane, planes });
    return rendering.outcome === "differs" ? [] : [{ policy: policyKey, compiled, rendering }];
  });
  if (renderings.length === 0) return undefined;
  const { uid, apiVersion, terminating } = factsOf(object);
  return { uid, apiVersion, terminating, renderings };
}

export function renderGrant(
  compiled: CompiledGrantPolicy,
  trigger: JsonObject,
  where: { readonly plane: string; readonly policyPlane: string; readonly planes: ControlPlanes },
): GrantRendering {
  const { planes } = where;
  return compiled.evaluate({
    trigger,
    plane: planeLabel(planes, where.plane),
    policyPlane: planeLabel(planes, where.policyPlane),
    bucketNamespace: (consumer) => planes.bucketNamespace(consumer),
  });
}

/** The key of a rendered grant; undefined if its parent object has no control plane. */
export function keyOfGrant(
  { parent, namespace, name }: RenderedGrant,
  triggerPlane: string,
  planes: ControlPlanes,
): PlaneObjectKey | undefined {
  const plane = parent === undefined ? triggerPlane : planes.planeOf(parent);
  return plane === undefined ? undefined : { plane, namespace, name };
}

/** Identifies a policy together with the object it renders a grant for. */
export function originOf(
  policy: PolicyKey,
  kind: GroupKind,
  { plane, namespace, name }: PlaneObjectKey,
  planes: ControlPlanes,
): GrantOrigin {
  return {
    policyPlane: planeLabel(planes, policy.plane),
    policy: policy.name,
    kind,
    plane: planeLabel(planes, plane),
    namespace,
    name,
  };
}

/** The control plane that a label names: an empty label is the root. */
export function planeOfLabel(label: string, { root }: ControlPlanes): string {
  return label === "" ? root : label;
}
