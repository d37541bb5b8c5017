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
import { addressKey, type ObjectAddress } from "../objects/governed-object.ts";
import { partOf } from "../objects/object-needs.ts";

const hashLength = 20;

/** A claim for what an object lacks; `held` are the UIDs of the claims it has. */
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

/** Another name for every state of the object's claims: it may lack the same amount twice. */
function supplementName(rendered: RenderedClaim, address: ObjectAddress, held: readonly string[]): string {
  const policy = rendered.annotations[annotations.policy] ?? "";
  const parts = [policy, addressKey(address), consumerKey(rendered.consumer), ...[...held].sort()];
  return readableName([policy, "supplement"], stableHash(parts, hashLength));
}

/** The claim as it is made: bound from the start, because the object is there. */
export function forcedManifest(claim: RenderedClaim, uid: string, owner: OwnerReference | undefined): KubernetesObject {
  const noted = {
    ...claim.annotations,
    [annotations.createdBy]: claimRepairer,
    [annotations.candidates]: uid,
    [annotations.bound]: uid,
  };
  const manifest = claimManifest(
    claim,
    noted,
    owner === undefined ? {} : { ownerReferences: [owner] },
  ) as unknown as KubernetesObject;
  return { ...manifest, metadata: { ...manifest.metadata, finalizers: [claimFinalizer] } };
}

/** What is to be done with a claim that has the name of the one to be made. */
export type Found =
  /** It is the one: nobody has decided it yet, or it is granted. */
  | { readonly found: "ours"; readonly decided: boolean }
  /** It is for objects of the same name, and as good for ours. */
  | { readonly found: "joinable"; readonly candidates: readonly string[]; readonly decided: boolean }
  /** It was denied, and holds nothing. */
  | { readonly found: "worthless" }
  /** It is going, or of an object that has gone, or did not come: not for long. */
  | { readonly found: "leaving" }
  | { readonly found: "foreign" };

export function judge(existing: ResourceClaim, wanted: RenderedClaim, uid: string, candidatesMax: number): Found {
  const { metadata, answer } = existing;
  const candidates = candidatesOf(metadata);
  const bound = metadata.annotations?.[annotations.bound] ?? soleOwner(candidates, ownersOf(metadata));
  if (!isSameClaim(existing, wanted)) return { found: "foreign" };
  if (metadata.deletionTimestamp !== undefined) return { found: "leaving" };
  if (answer.state === "denied") return { found: "worthless" };
  const decided = answer.state === "granted";
  if (candidates.includes(uid) || bound === uid) return { found: "ours", decided };
  if (bound !== undefined || candidates.length >= candidatesMax) return { found: "leaving" };
  return { found: "joinable", candidates: [...candidates, uid], decided };
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
