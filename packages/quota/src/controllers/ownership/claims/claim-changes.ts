import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { conflict, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { annotations, claimFinalizer } from "../../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { claimsType } from "../../../views/quota-types.ts";

/** A claim as it was when something was decided about it: another version of it is left to another decision. */
export interface DecidedOn {
  readonly place: ObjectPlace;
  readonly uid: string;
  readonly version: string;
}

/** What is noted on a claim about the objects that it is for. */
export interface Noted {
  readonly candidates: readonly string[];
  /** Undefined takes away what is noted. */
  readonly bound: string | undefined;
  readonly owners: OwnerChange;
}

export type OwnerChange =
  | { readonly change: "none" }
  /** Other owners, if it has any, are kept. */
  | { readonly change: "add"; readonly owner: OwnerReference }
  | { readonly change: "remove"; readonly uid: string };

/** Changes claims, each only as it was decided upon. */
export class ClaimChanges {
  readonly #planes: ControlPlanes;

  constructor(planes: ControlPlanes) {
    this.#planes = planes;
  }

  async note(claim: DecidedOn, { candidates, bound, owners }: Noted, signal: AbortSignal): Promise<void> {
    const noted = { [annotations.candidates]: candidates.join(","), [annotations.bound]: bound ?? null };
    const lists = await this.#lists(claim, owners, bound !== undefined, signal);
    await this.#patch(claim, { annotations: noted, ...lists }, signal);
  }

  /** Deletes a claim for good: what keeps it is taken away first. */
  async release(claim: DecidedOn, signal: AbortSignal): Promise<void> {
    const { finalizers = [] } = (await this.#read(claim, signal)).metadata;
    const isKept = finalizers.includes(claimFinalizer);
    const { place, uid } = claim;
    const resourceVersion = isKept ? await this.letGo(claim, signal) : claim.version;
    await this.#client(place).delete(place, { uid, resourceVersion, propagation: "Background" }, signal);
  }

  /** What the claim says of its answer. */
  async messageOf({ place }: DecidedOn, signal: AbortSignal): Promise<string> {
    const claim = await this.#client(place).find(place, signal);
    return findCondition(claim?.status.conditions, "Granted")?.message ?? "";
  }

  /** Whether a claim that is being deleted waits for us to let it go. */
  async waitsForUs(claim: DecidedOn, signal: AbortSignal): Promise<boolean> {
    return (await this.#read(claim, signal)).metadata.finalizers?.includes(claimFinalizer) === true;
  }

  /** The version of it that is not kept by us any more. */
  async letGo(claim: DecidedOn, signal: AbortSignal): Promise<string> {
    const { finalizers = [] } = (await this.#read(claim, signal)).metadata;
    const left = finalizers.filter((name) => name !== claimFinalizer);
    const { metadata } = await this.#patch(claim, { finalizers: left }, signal);
    return metadata.resourceVersion ?? "";
  }

  /** The claim itself; rejects with a conflict when it is another than was decided upon. */
  async #read({ place, uid, version }: DecidedOn, signal: AbortSignal): Promise<ResourceClaim> {
    const claim = await this.#client(place).get(place, signal);
    if (claim.metadata.uid === uid && claim.metadata.resourceVersion === version) return claim;
    const resource = { group: claimsType.group, resource: claimsType.plural };
    throw new StatusError(conflict(resource, place.name, "it was changed after it was decided what to do about it"));
  }

  /** Lists are sent whole, so what else is in them has to be known. */
  async #lists(claim: DecidedOn, owners: OwnerChange, isBound: boolean, signal: AbortSignal): Promise<JsonObject> {
    if (owners.change === "none" && !isBound) return {};
    const { finalizers = [], ownerReferences = [] } = (await this.#read(claim, signal)).metadata;
    return {
      ...(owners.change === "none" ? {} : { ownerReferences: changed(ownerReferences, owners) }),
      // A bound claim outlives whatever is done to it until its object is gone.
      ...(isBound && !finalizers.includes(claimFinalizer) ? { finalizers: [...finalizers, claimFinalizer] } : {}),
    };
  }

  #patch({ place, uid, version }: DecidedOn, metadata: JsonObject, signal: AbortSignal): Promise<ResourceClaim> {
    const body = { metadata: { uid, resourceVersion: version, ...metadata } };
    return this.#client(place).patch(place, { type: "merge", body }, {}, signal);
  }

  #client({ plane }: ObjectPlace): ResourceClient<ResourceClaim> {
    return this.#planes.client(plane).resource(claimsType, parseResourceClaim);
  }
}

function changed(owners: readonly OwnerReference[], change: Exclude<OwnerChange, { change: "none" }>): JsonValue {
  const uid = change.change === "add" ? change.owner.uid : change.uid;
  const others = owners.filter((owner) => owner.uid !== uid);
  return (change.change === "add" ? [...others, change.owner] : others) as unknown as JsonValue;
}
