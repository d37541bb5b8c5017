import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { candidatesMax } from "../../../core/resources/well-known.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import { claimsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { ForcedClaims } from "../../writer/claims/forced-claims.ts";
import type { ClaimChanges, DecidedOn } from "../claims/claim-changes.ts";
import { placeKey } from "../objects/governed-object.ts";
import { forcedManifest, judge } from "./forced-claim.ts";

export interface ForcedClaimMakerOptions {
  readonly runtime: Runtime;
  readonly forced: ForcedClaims;
  readonly changes: ClaimChanges;
}

/** A claim to be made for an object that is there. */
export interface ClaimToMake {
  readonly plane: string;
  readonly claim: RenderedClaim;
  /** Of the object. */
  readonly uid: string;
  /** Left out where Kubernetes does not let the object own the claim. */
  readonly owner: OwnerReference | undefined;
}

/** What came of it: the UID of the claim that was made; nothing, because there is one; or something stands in the way. */
export type Making =
  | { readonly outcome: "made"; readonly claim: DecidedOn }
  | { readonly outcome: "there" }
  | { readonly outcome: "hindered" };

/** Makes claims that are granted whether they fit or not. Another one of the same name is used, if it serves. */
export class ForcedClaimMaker {
  readonly #options: ForcedClaimMakerOptions;
  /** Those that nobody has decided yet. */
  readonly #open = new Map<string, { readonly place: ObjectPlace; readonly uid: string }>();
  /** Those that may have been made, for these objects; as long as that is not known, nobody decides what is there. */
  readonly #unsure = new Map<string, { readonly place: ObjectPlace; readonly object: string }>();

  constructor(options: ForcedClaimMakerOptions) {
    this.#options = options;
  }

  async make(wanted: ClaimToMake, signal: AbortSignal): Promise<Making> {
    const { forced } = this.#options;
    const place = { plane: wanted.plane, namespace: wanted.claim.namespace, name: wanted.claim.name };
    forced.expect(place);
    this.#unsure.set(placeKey(place), { place, object: wanted.uid });
    try {
      const manifest = forcedManifest(wanted.claim, wanted.uid, wanted.owner);
      const { metadata } = await this.#client(place).create(manifest, {}, signal);
      const { uid = "", resourceVersion = "" } = metadata;
      this.#confirm(place, uid);
      return { outcome: "made", claim: { place, uid, version: resourceVersion } };
    } catch (error) {
      if (isRefusal(error)) this.#release(place);
      if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
      return this.#use(place, wanted, signal);
    }
  }

  /** To be told of every claim, and of every change to one: what is decided or gone needs no forcing. */
  heard(place: ObjectPlace, claim: ClaimRecord | undefined): void {
    const key = placeKey(place);
    const [unsure, open] = [this.#unsure.get(key), this.#open.get(key)];
    const isPending = claim?.state === "pending";
    if (unsure !== undefined && isPending && claim.automatic?.candidates.includes(unsure.object) === true) {
      this.#confirm(place, claim.uid); // made by us, though nobody told us so; or as good as that
    } else if (
      (unsure !== undefined && claim !== undefined) ||
      (open !== undefined && !(isPending && claim.uid === open.uid))
    ) {
      this.#release(place);
    }
  }

  stop(): void {
    for (const { place } of [...this.#open.values(), ...this.#unsure.values()]) this.#release(place);
  }

  async #use(place: ObjectPlace, { claim, uid }: ClaimToMake, signal: AbortSignal): Promise<Making> {
    const existing = await this.#client(place).find(place, signal);
    if (existing === undefined) return { outcome: "hindered" };
    const { metadata } = existing;
    const decidedOn = { place, uid: metadata.uid ?? "", version: metadata.resourceVersion ?? "" };
    const found = judge(existing, claim, uid, candidatesMax);
    switch (found.found) {
      case "foreign":
        throw new Error(`the claim ${place.namespace}/${place.name} is there, and is for something else`);
      case "leaving":
        return { outcome: "hindered" };
      case "worthless":
        await this.#options.changes.release(decidedOn, signal);
        return { outcome: "hindered" };
      case "joinable": {
        const noted = { candidates: found.candidates, bound: undefined, owners: { change: "none" } as const };
        await this.#options.changes.note(decidedOn, noted, signal);
        if (!found.decided) this.#confirm(place, decidedOn.uid);
        return { outcome: "there" };
      }
      case "ours":
        if (!found.decided) this.#confirm(place, decidedOn.uid);
        return { outcome: "there" };
      default:
        throw new Error(`unknown finding ${found satisfies never}`);
    }
  }

  #release(place: ObjectPlace): void {
    this.#open.delete(placeKey(place));
    this.#unsure.delete(placeKey(place));
    this.#options.forced.release(place);
  }

  #confirm(place: ObjectPlace, uid: string): void {
    this.#unsure.delete(placeKey(place));
    this.#open.set(placeKey(place), { place, uid });
    this.#options.forced.confirm(place, uid);
  }

  #client({ plane }: ObjectPlace): ResourceClient<ResourceClaim> {
    return this.#options.runtime.planes.client(plane).resource(claimsType, parseResourceClaim);
  }
}

/** Whether a server has said that it did nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.status.code < 500;
}
