import { isJsonObject, type JsonObject, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimInput, CompiledClaimPolicy, RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { DecidingPolicy } from "../../core/policy/policy-index.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { ObjectChange } from "../object-change.ts";
import { growthOf, hasSameConsumer, type ReducedNeed, reducedNeed } from "./growth.ts";

export type ClaimPolicy = DecidingPolicy<ClaimCreationPolicy, CompiledClaimPolicy>;

/** The input to policies that is the same for all policies of a change. */
export type ChangeInput = Required<Omit<ClaimInput, "trigger" | "policyPlane">>;

/** The outcome of evaluating one policy for one change. */
export type PolicyEvaluation =
  | { readonly outcome: "nothing"; readonly missingKeys: number; readonly reduced?: ReducedNeed | undefined }
  | {
      readonly outcome: "claim";
      readonly claim: RenderedClaim;
      /** Whether the object held something by this policy before. */
      readonly isGrowth: boolean;
      readonly reduced?: ReducedNeed | undefined;
    }
  | { readonly outcome: "failed"; readonly message: string };

/** Renders the claim of a new object, or on an update a claim for the growth of the object's need. */
export function evaluateForChange(policy: ClaimPolicy, change: ObjectChange, input: ChangeInput): PolicyEvaluation {
  const { object, oldObject } = change;
  const plane = policyPlane(policy, change, input);
  const now = evaluate(policy, inputFor(object, input, plane));
  if (oldObject === undefined) return now;
  // A broken policy must not block the removal of finalizers, or the object could never be deleted.
  if (now.outcome === "failed" && isSameToPolicies(oldObject, object)) return { outcome: "nothing", missingKeys: 0 };
  if (now.outcome === "failed") return now;
  const before = evaluate(policy, inputFor(oldObject, input, plane));
  // If the policy fails for the old object, the whole need counts as growth: an unknown need is not free.
  const held = before.outcome === "claim" ? before.claim : undefined;
  const reduced = reducedNeed(policy.policy.metadata.name ?? "", held, now.outcome === "claim" ? now.claim : undefined);
  if (now.outcome === "nothing") return { ...now, reduced };
  const growth = growthOf(held, now.claim, versionOf(oldObject));
  return growth === undefined
    ? { outcome: "nothing", missingKeys: 0, reduced }
    : { outcome: "claim", claim: growth, isGrowth: hasSameConsumer(held, now.claim), reduced };
}

/** Whether two versions of an object differ only in status, finalizers and other fields that controllers write. */
function isSameToPolicies(before: JsonObject, now: JsonObject): boolean {
  return jsonEquals(userContent(before), userContent(now));
}

/** Everything but the status and the metadata that is neither a label nor an annotation. */
function userContent(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...content } = object;
  if (!isJsonObject(metadata)) return content as JsonObject;
  const kept = Object.entries(metadata).filter(([name]) => name === "labels" || name === "annotations");
  return { ...content, metadata: Object.fromEntries(kept) } as JsonObject;
}

/** A policy is either in the plane of the object or in the root plane. */
function policyPlane({ plane }: ClaimPolicy, change: ObjectChange, input: Pick<ClaimInput, "plane">): string {
  return plane === change.plane ? input.plane : "";
}

function inputFor(trigger: JsonObject, input: ChangeInput, policyPlane: string): ClaimInput {
  const { user, requestInfo, plane, tenantOf, bucketNamespace, isElsewhere, now } = input;
  return { trigger, user, requestInfo, plane, policyPlane, tenantOf, bucketNamespace, isElsewhere, now };
}

function evaluate({ compiled }: ClaimPolicy, input: ClaimInput): PolicyEvaluation {
  const rendering = compiled.evaluate(input);
  switch (rendering.outcome) {
    case "claim":
      return { outcome: "claim", claim: rendering.claim, isGrowth: false };
    case "nothing":
      return { outcome: "nothing", missingKeys: 0 };
    case "differs":
      return { outcome: "nothing", missingKeys: rendering.missingKeys };
    case "failed":
      return { outcome: "failed", message: rendering.message };
    default:
      throw new Error(`unknown rendering ${rendering satisfies never}`);
  }
}

function versionOf(object: JsonObject): string {
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion ?? "";
}
