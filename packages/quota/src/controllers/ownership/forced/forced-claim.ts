import type { KubernetesObject, OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { claimManifest, type RenderedClaim } from "../../../core/policy/claim-policy.ts";
import { candidatesOf, ownersOf } from "../../../core/resources/claim-candidates.ts";
import { soleOwner } from "../../../core/resources/claim-owner.ts";
import { consumerKey } from "../../../core/resources/fields/consumer-ref.ts";
import { readableName } from "../../../core/resources/object-names.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { stableHash } from "../../../core/resources/stable-hash.ts";
import { annotations, claimFinalizer, claimRepairer } from "../../../core/resources/well-known.ts";
import { addressId, type ObjectAddress } from "../objects/object-address.ts";
import { partOf } from "../objects/object-needs.ts";

const hashLength = 20;

/** A claim for the missing parts; `held` are the UIDs of the claims that the object already has. */
export function claimForMissing(
  rendered: RenderedClaim,
  missing: readonly ClaimPart[],
  address: ObjectAddress,
  held: readonly string[],
): RenderedClaim {
  if (held.length === 0) return rendered;
  const requests = rendered.requests.flatMap((request) => {
    const part = missing.find((each) => isSamePart(each, partOf(request)));
    return part === undefined ? [] : [{ ...request, amount: part.amount }];
  });
  return { ...rendered, requests, name: supplementName(rendered, address, held) };
}

/** The name depends on the existing claims, because an object may lack the same amount twice. */
function supplementName(rendered: RenderedClaim, address: ObjectAddress, held: readonly string[]): string {
  const policy = rendered.annotations[annotations.policy] ?? "";
  const parts = [policy, addressId(address), consumerKey(rendered.consumer), ...[...held].sort()];
  return readableName([policy, "supplement"], stableHash(parts, hashLength));
}

/** The claim is bound from the start, because its object exists. */
export function forcedManifest(claim: RenderedClaim, uid: string, owner: OwnerReference | undefined): KubernetesObject {
  const boundAnnotations = {
    ...claim.annotations,
    [annotations.createdBy]: claimRepairer,
    [annotations.candidates]: uid,
    [annotations.bound]: uid,
  };
  const manifest = claimManifest(
    claim,
    boundAnnotations,
    owner === undefined ? {} : { ownerReferences: [owner] },
  ) as unknown as KubernetesObject;
  return { ...manifest, metadata: { ...manifest.metadata, finalizers: [claimFinalizer] } };
}

/** The relation of an existing claim to the claim of the same name that is to be created. */
export type ExistingClaim =
  /** It is that claim: granted, or not decided yet. */
  | { readonly result: "ours"; readonly decided: boolean }
  /** It is equal, and not bound to another object yet: ours can become a candidate. */
  | { readonly result: "joinable"; readonly candidates: readonly string[]; readonly decided: boolean }
  | { readonly result: "denied" }
  /** It will disappear: it is being deleted, has too many candidates, or is bound to an earlier object of the same name. */
  | { readonly result: "obsolete" }
  | { readonly result: "foreign" };

export function checkExisting(
  existing: ResourceClaim,
  wanted: RenderedClaim,
  uid: string,
  candidatesMax: number,
): ExistingClaim {
  const { metadata, decision } = existing;
  const candidates = candidatesOf(metadata);
  const bound = metadata.annotations?.[annotations.bound] ?? soleOwner(candidates, ownersOf(metadata));
  if (!isSameClaim(existing, wanted)) return { result: "foreign" };
  if (metadata.deletionTimestamp !== undefined) return { result: "obsolete" };
  if (decision.state === "denied") return { result: "denied" };
  const decided = decision.state === "granted";
  if (candidates.includes(uid) || bound === uid) return { result: "ours", decided };
  if (bound !== undefined || candidates.length >= candidatesMax) return { result: "obsolete" };
  return { result: "joinable", candidates: [...candidates, uid], decided };
}

function isSameClaim(existing: ResourceClaim, wanted: RenderedClaim): boolean {
  const policy = existing.metadata.annotations?.[annotations.policy];
  return (
    policy === wanted.annotations[annotations.policy] &&
    existing.resource !== undefined &&
    consumerKey(existing.resource) === consumerKey(wanted.resource) &&
    consumerKey(existing.consumer) === consumerKey(wanted.consumer) &&
    requestText(existing) === requestText(wanted)
  );
}

function requestText({ requests }: Pick<RenderedClaim, "requests">): string {
  const parts = requests.map(partOf);
  return parts
    .map(({ resourceType, dimensionKey, amount }) => `${resourceType} ${dimensionKey} ${amount}`)
    .sort()
    .join("\n");
}

function isSamePart(one: ClaimPart, other: ClaimPart): boolean {
  return one.resourceType === other.resourceType && one.dimensionKey === other.dimensionKey;
}
