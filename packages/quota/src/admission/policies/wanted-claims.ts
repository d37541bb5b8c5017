import { isJsonObject, type JsonObject, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimInput, CompiledClaimPolicy, RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ReadyPolicy } from "../../core/policy/policy-index.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { ObjectChange } from "../object-change.ts";
import { growthOf, type ReducedNeed, reducedNeed } from "./growth.ts";

export type ClaimPolicy = ReadyPolicy<ClaimCreationPolicy, CompiledClaimPolicy>;

/** What policies may ask about a change beside its object, whichever policy it is. */
export type ChangeInput = Required<Omit<ClaimInput, "trigger" | "policyPlane">>;

/** What a policy makes of a change. */
export type Wish =
  | { readonly outcome: "nothing"; readonly missingKeys: number; readonly reduced?: ReducedNeed | undefined }
  | { readonly outcome: "claim"; readonly claim: RenderedClaim; readonly reduced?: ReducedNeed | undefined }
  | { readonly outcome: "failed"; readonly message: string };

/** What a change needs by a policy: all that a new object asks for, and what a changed one asks for beyond that before. */
export function wishOf(policy: ClaimPolicy, change: ObjectChange, asked: ChangeInput): Wish {
  const { object, oldObject } = change;
  const plane = policyPlane(policy, change, asked);
  const now = rendered(policy, inputFor(object, asked, plane));
  if (oldObject === undefined) return now;
  // A policy that does not work must not keep anybody from letting an object go.
  if (now.outcome === "failed" && isSameToPolicies(oldObject, object)) return { outcome: "nothing", missingKeys: 0 };
  if (now.outcome === "failed") return now;
  const before = rendered(policy, inputFor(oldObject, asked, plane));
  // What cannot be said of an object as it was does not make it free.
  const held = before.outcome === "claim" ? before.claim : undefined;
  const reduced = reducedNeed(policy.policy.metadata.name ?? "", held, now.outcome === "claim" ? now.claim : undefined);
  if (now.outcome === "nothing") return { ...now, reduced };
  const growth = growthOf(held, now.claim, versionOf(oldObject));
  return growth === undefined
    ? { outcome: "nothing", missingKeys: 0, reduced }
    : { outcome: "claim", claim: growth, reduced };
}

/** Whether two states of an object differ in nothing but what the server and its controllers note on it. */
function isSameToPolicies(before: JsonObject, now: JsonObject): boolean {
  return jsonEquals(ofItsAuthor(before), ofItsAuthor(now));
}

function ofItsAuthor(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...content } = object;
  if (!isJsonObject(metadata)) return content as JsonObject;
  const kept = Object.entries(metadata).filter(([name]) => name === "labels" || name === "annotations");
  return { ...content, metadata: Object.fromEntries(kept) } as JsonObject;
}

/** A policy is in the plane of the object, or in the root. */
function policyPlane({ plane }: ClaimPolicy, change: ObjectChange, input: Pick<ClaimInput, "plane">): string {
  return plane === change.plane ? input.plane : "";
}

function inputFor(trigger: JsonObject, asked: ChangeInput, policyPlane: string): ClaimInput {
  const { user, requestInfo, plane, tenantOf, bucketNamespace, isElsewhere, now } = asked;
  return { trigger, user, requestInfo, plane, policyPlane, tenantOf, bucketNamespace, isElsewhere, now };
}

function rendered({ compiled }: ClaimPolicy, input: ClaimInput): Wish {
  const rendering = compiled.evaluate(input);
  switch (rendering.outcome) {
    case "claim":
      return { outcome: "claim", claim: rendering.claim };
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
