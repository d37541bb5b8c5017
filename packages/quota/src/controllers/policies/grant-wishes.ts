import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GrantOrigin } from "../../core/policy/grant-origin.ts";
import type { CompiledGrantPolicy, GrantRendering, RenderedGrant } from "../../core/policy/grant-policy.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { type ControlPlanes, planeLabel } from "../../views/control-planes.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";
import { factsOf } from "../ownership/objects/object-reader.ts";

/** The object that a grant is made for. */
export interface Trigger {
  readonly uid: string;
  readonly apiVersion: string;
  readonly terminating: boolean;
}

/** What a policy makes of an object. */
export interface GrantWish {
  readonly policy: PolicyPlace;
  /** The policy as it was when it made this of the object. */
  readonly compiled: CompiledGrantPolicy;
  readonly rendering: Exclude<GrantRendering, { readonly outcome: "differs" }>;
}

/** What is kept of an object that policies make grants for: not the object, which may be large. */
export interface WishfulTrigger extends Trigger {
  readonly wishes: readonly GrantWish[];
}

/** Undefined when no policy makes anything of the object. */
export function wishesOf(
  object: JsonObject,
  { plane, kind }: { readonly plane: string; readonly kind: GroupKind },
  { planes, index }: { readonly planes: ControlPlanes; readonly index: GrantPolicyIndex },
): WishfulTrigger | undefined {
  const wishes = index.policiesFor(kind, plane).flatMap(({ compiled, plane: policyPlane, policy }) => {
    const place = { plane: policyPlane, name: policy.metadata.name ?? "" };
    const rendering = renderGrant(compiled, object, { plane, policyPlane, planes });
    return rendering.outcome === "differs" ? [] : [{ policy: place, compiled, rendering }];
  });
  if (wishes.length === 0) return undefined;
  const { uid, apiVersion, terminating } = factsOf(object);
  return { uid, apiVersion, terminating, wishes };
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

/** Where a grant goes: undefined when the object whose control plane it should go into has none. */
export function placeOfGrant(
  { parent, namespace, name }: RenderedGrant,
  triggerPlane: string,
  planes: ControlPlanes,
): ObjectPlace | undefined {
  const plane = parent === undefined ? triggerPlane : planes.planeOf(parent);
  return plane === undefined ? undefined : { plane, namespace, name };
}

/** The origin of what a policy makes of an object. */
export function originOf(
  policy: PolicyPlace,
  kind: GroupKind,
  { plane, namespace, name }: ObjectPlace,
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

/** The plane that a label stands for. */
export function planeOfLabel(label: string, { root }: ControlPlanes): string {
  return label === "" ? root : label;
}
