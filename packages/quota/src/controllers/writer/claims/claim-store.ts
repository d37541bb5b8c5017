import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { claimsType } from "../../../views/quota-types.ts";
import { findOrUndefined } from "../../find-or-undefined.ts";
import { parseObjectVersion } from "../buckets/object-version.ts";
import { meaningOf } from "../write-failure.ts";

/** The outcome of a status write; `differs` has the claim as it is stored now. */
export type ClaimWrite =
  | { readonly outcome: "written" }
  | { readonly outcome: "differs"; readonly claim: ResourceClaim }
  | { readonly outcome: "gone" };

/** Reads claims and writes their status. Every write names the resourceVersion that was decided on. */
export class ClaimStore {
  readonly #planes: ControlPlanes;

  constructor(planes: ControlPlanes) {
    this.#planes = planes;
  }

  find(key: PlaneObjectKey, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    return findOrUndefined(this.#planes.client(key.plane).resource(claimsType, parseResourceClaim), key, signal);
  }

  /** Reads the claim after a failed write, which may have been applied nevertheless. */
  async write(
    key: PlaneObjectKey,
    { claim, status }: { readonly claim: ResourceClaim; readonly status: object },
    signal: AbortSignal,
  ): Promise<ClaimWrite> {
    const { uid, resourceVersion } = claim.metadata;
    const body = { metadata: { uid, resourceVersion }, status } as unknown as JsonObject;
    try {
      const claims = this.#planes.client(key.plane).resource(claimsType, parseObjectVersion);
      await claims.patch(key, { type: "merge", body }, { subresource: "status" }, signal);
      return { outcome: "written" };
    } catch (error) {
      if (meaningOf(error) === "rejected") throw error;
      const current = await this.find(key, signal);
      if (current === undefined || current.metadata.uid !== uid) return { outcome: "gone" };
      return { outcome: "differs", claim: current };
    }
  }
}
