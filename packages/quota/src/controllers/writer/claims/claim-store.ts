import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { claimsType } from "../../../views/quota-types.ts";
import { findIfAny } from "../../find-if-any.ts";
import { parseWritten } from "../pages/written.ts";
import { meaningOf } from "../write-failure.ts";

/** What became of a write: it stands, or the claim is something else than we thought. */
export type ClaimWrite =
  | { readonly outcome: "written" }
  | { readonly outcome: "differs"; readonly claim: ResourceClaim }
  | { readonly outcome: "gone" };

/** Writes into claims what was decided. Each write is on the version that was decided on. */
export class ClaimStore {
  readonly #planes: ControlPlanes;

  constructor(planes: ControlPlanes) {
    this.#planes = planes;
  }

  find(place: ObjectPlace, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    return findIfAny(this.#planes.client(place.plane).resource(claimsType, parseResourceClaim), place, signal);
  }

  /** When nobody knows what became of the write, the claim is read: it may well have happened. */
  async write(
    place: ObjectPlace,
    { claim, status }: { readonly claim: ResourceClaim; readonly status: object },
    signal: AbortSignal,
  ): Promise<ClaimWrite> {
    const { uid, resourceVersion } = claim.metadata;
    const body = { metadata: { uid, resourceVersion }, status } as unknown as JsonObject;
    try {
      const claims = this.#planes.client(place.plane).resource(claimsType, parseWritten);
      await claims.patch(place, { type: "merge", body }, { subresource: "status" }, signal);
      return { outcome: "written" };
    } catch (error) {
      if (meaningOf(error) === "refused") throw error;
      const current = await this.find(place, signal);
      if (current === undefined || current.metadata.uid !== uid) return { outcome: "gone" };
      return { outcome: "differs", claim: current };
    }
  }
}
