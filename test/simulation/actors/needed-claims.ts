import { claimPoliciesType } from "../../../src/controllers/quota-types.ts";
import { claimManifest, compileClaimPolicy, type RenderedClaim } from "../../../src/core/policy/claim-policy.ts";
import { parseClaimCreationPolicy } from "../../../src/core/resources/claim-creation-policy.ts";
import { bucketNamespace } from "../../../src/core/resources/object-names.ts";
import { annotations } from "../../../src/core/resources/well-known.ts";
import { failure, StatusError } from "../../../src/protocol/api-status.ts";
import type { JsonObject } from "../../../src/protocol/json-value.ts";
import type { KubernetesObject } from "../../../src/protocol/object-meta.ts";
import { at, conditionAt, textAt } from "../invariants/json-fields.ts";
import { layout } from "../world/layout.ts";
import type { Host } from "../world/world.ts";
import { clientOf, signal } from "./clients.ts";
import type { DoorRequest } from "./door.ts";

/** A claim to make for an object, and where. */
export interface NeededClaim {
  readonly policy: string;
  readonly plane: string;
  readonly manifest: JsonObject & KubernetesObject;
}

/** What the policies that are at work now ask for an object. Throws when one of them cannot tell. */
export async function neededClaims(host: Host, request: DoorRequest): Promise<readonly NeededClaim[]> {
  const needed: NeededClaim[] = [];
  for (const plane of new Set(["root", request.plane])) {
    const { items } = await clientOf(host, plane, claimPoliciesType).list({}, signal);
    for (const policy of items) {
      const claim = isAtWork(policy) ? rendered(policy, request) : undefined;
      if (claim !== undefined) needed.push(claim);
    }
  }
  return needed;
}

function isAtWork(policy: JsonObject): boolean {
  const ready = conditionAt(policy, "Ready");
  const isCurrent = at(policy, "status", "observedGeneration") === at(policy, "metadata", "generation");
  return textAt(ready, "status") === "True" && isCurrent;
}

function rendered(stored: JsonObject, { plane, object, resource }: DoorRequest): NeededClaim | undefined {
  const parsed = parseClaimCreationPolicy(stored);
  if (!parsed.ok || !isAbout(stored, object)) return undefined;
  const compiled = compileClaimPolicy(parsed.value);
  if (!compiled.ok) throw new StatusError(failure("InternalError", "a policy that is Ready does not compile"));
  const { namespace = "", name = "" } = object.metadata;
  const rendering = compiled.policy.evaluate({
    trigger: object,
    user: { name: "somebody", uid: "", groups: [], extra: {} },
    requestInfo: { verb: "create", apiGroup: "", apiVersion: "", resource, subresource: "", namespace, name },
    plane: plane === "root" ? "" : plane,
    planeConsumer: layout.ownerOf(plane),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => layout.hasOrganizationNamespaces),
    now: "2027-01-15T08:00:00Z",
  });
  if (rendering.outcome === "failed") throw new StatusError(failure("InternalError", rendering.message));
  return rendering.outcome === "claim"
    ? needed(rendering.claim, textAt(stored, "metadata", "name"), plane, object)
    : undefined;
}

function needed(claim: RenderedClaim, policy: string, plane: string, object: KubernetesObject): NeededClaim {
  const manifest = claimManifest(claim) as JsonObject & KubernetesObject;
  const noted = { ...manifest.metadata.annotations, [annotations.candidates]: object.metadata.uid ?? "" };
  return {
    policy,
    plane: layout.planeOf(claim.consumer) ?? plane,
    manifest: {
      ...manifest,
      metadata: { ...manifest.metadata, annotations: noted },
    } as unknown as NeededClaim["manifest"],
  };
}

function isAbout(policy: JsonObject, object: KubernetesObject): boolean {
  const trigger = at(policy, "spec", "trigger", "resource");
  return textAt(trigger, "kind") === object.kind && textAt(trigger, "apiVersion") === object.apiVersion;
}
