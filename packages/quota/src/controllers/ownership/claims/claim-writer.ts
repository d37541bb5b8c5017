import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { conflict, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { annotations, claimFinalizer } from "../../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { claimsType } from "../../../views/quota-types.ts";

/** The version of a claim that a decision was based on: writes to another version conflict. */
export interface ClaimVersion {
  readonly key: PlaneObjectKey;
  readonly uid: string;
  readonly version: string;
}

/** The annotations and owner references that bind a claim to its object. */
export interface Binding {
  readonly candidates: readonly string[];
  /** Undefined removes the annotation. */
  readonly bound: string | undefined;
  readonly owners: OwnerChange;
}

export type OwnerChange =
  | { readonly change: "none" }
  /** Keeps other owners. */
  | { readonly change: "add"; readonly owner: OwnerReference }
  | { readonly change: "remove"; readonly uid: string };

/** Binds and deletes claims. Every write names the version that was decided on. */
export class ClaimWriter {
  readonly #planes: ControlPlanes;

  constructor(planes: ControlPlanes) {
    this.#planes = planes;
  }

  async writeBinding(claim: ClaimVersion, { candidates, bound, owners }: Binding, signal: AbortSignal): Promise<void> {
    const binding = { [annotations.candidates]: candidates.join(","), [annotations.bound]: bound ?? null };
    const lists = await this.#lists(claim, owners, bound !== undefined, signal);
    await this.#patch(claim, { annotations: binding, ...lists }, signal);
  }

  /** Removes our finalizer first, so that the claim is gone at once. */
  async delete(claim: ClaimVersion, signal: AbortSignal): Promise<void> {
    const { finalizers = [] } = (await this.#read(claim, signal)).metadata;
    const hasFinalizer = finalizers.includes(claimFinalizer);
    const { key, uid } = claim;
    const resourceVersion = hasFinalizer ? await this.removeFinalizer(claim, signal) : claim.version;
    await this.#client(key).delete(key, { uid, resourceVersion, propagation: "Background" }, signal);
  }

  /** The message of its Granted condition. */
  async messageOf({ key }: ClaimVersion, signal: AbortSignal): Promise<string> {
    const claim = await this.#client(key).find(key, signal);
    return findCondition(claim?.status.conditions, "Granted")?.message ?? "";
  }

  async hasFinalizer(claim: ClaimVersion, signal: AbortSignal): Promise<boolean> {
    return (await this.#read(claim, signal)).metadata.finalizers?.includes(claimFinalizer) === true;
  }

  /** Returns the new version. */
  async removeFinalizer(claim: ClaimVersion, signal: AbortSignal): Promise<string> {
    const { finalizers = [] } = (await this.#read(claim, signal)).metadata;
    const left = finalizers.filter((name) => name !== claimFinalizer);
    const { metadata } = await this.#patch(claim, { finalizers: left }, signal);
    return metadata.resourceVersion ?? "";
  }

  /** Rejects with a conflict if the stored version differs from the one that was decided on. */
  async #read({ key, uid, version }: ClaimVersion, signal: AbortSignal): Promise<ResourceClaim> {
    const claim = await this.#client(key).get(key, signal);
    if (claim.metadata.uid === uid && claim.metadata.resourceVersion === version) return claim;
    const resource = { group: claimsType.group, resource: claimsType.plural };
    throw new StatusError(conflict(resource, key.name, "the claim has changed since the decision about it"));
  }

  /** A merge patch replaces whole lists, so that their other items have to be read first. */
  async #lists(claim: ClaimVersion, owners: OwnerChange, isBound: boolean, signal: AbortSignal): Promise<JsonObject> {
    if (owners.change === "none" && !isBound) return {};
    const { finalizers = [], ownerReferences = [] } = (await this.#read(claim, signal)).metadata;
    return {
      ...(owners.change === "none" ? {} : { ownerReferences: changedOwners(ownerReferences, owners) }),
      // The finalizer keeps a bound claim until its object is gone.
      ...(isBound && !finalizers.includes(claimFinalizer) ? { finalizers: [...finalizers, claimFinalizer] } : {}),
    };
  }

  #patch({ key, uid, version }: ClaimVersion, metadata: JsonObject, signal: AbortSignal): Promise<ResourceClaim> {
    const body = { metadata: { uid, resourceVersion: version, ...metadata } };
    return this.#client(key).patch(key, { type: "merge", body }, {}, signal);
  }

  #client({ plane }: PlaneObjectKey): ResourceClient<ResourceClaim> {
    return this.#planes.client(plane).resource(claimsType, parseResourceClaim);
  }
}

function changedOwners(owners: readonly OwnerReference[], change: Exclude<OwnerChange, { change: "none" }>): JsonValue {
  const uid = change.change === "add" ? change.owner.uid : change.uid;
  const others = owners.filter((owner) => owner.uid !== uid);
  return (change.change === "add" ? [...others, change.owner] : others) as unknown as JsonValue;
}
