import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { candidatesMax } from "../../../core/resources/well-known.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import { claimsType } from "../../../views/quota-types.ts";
import type { Runtime } from "../../../views/runtime.ts";
import { objectId } from "../../object-id.ts";
import type { ForcedClaims } from "../../writer/claims/forced-claims.ts";
import type { ClaimVersion, ClaimWriter } from "../claims/claim-writer.ts";
import { checkExisting, forcedManifest } from "./forced-claim.ts";

export interface ForcedClaimWriterDeps {
  readonly runtime: Runtime;
  readonly forced: ForcedClaims;
  readonly writer: ClaimWriter;
}

/** A claim to be created for an existing object. */
export interface ForcedClaimRequest {
  readonly plane: string;
  readonly claim: RenderedClaim;
  /** Of the object. */
  readonly uid: string;
  /** Undefined if Kubernetes does not let the object own the claim. */
  readonly owner: OwnerReference | undefined;
}

/** `blocked`: a claim of the same name has to disappear first. */
export type CreateOutcome =
  | { readonly outcome: "created"; readonly claim: ClaimVersion }
  | { readonly outcome: "exists" }
  | { readonly outcome: "blocked" };

/** Creates claims that are granted without checking the limit. Uses an existing claim of the same name if it is equivalent. */
export class ForcedClaimWriter {
  readonly #deps: ForcedClaimWriterDeps;
  /** Forced claims that are not decided yet. */
  readonly #open = new Map<string, { readonly key: PlaneObjectKey; readonly uid: string }>();
  /** Claims whose create has no known outcome yet, with the UID of their object. Until then no claim of that name is decided. */
  readonly #unsure = new Map<string, { readonly key: PlaneObjectKey; readonly object: string }>();

  constructor(deps: ForcedClaimWriterDeps) {
    this.#deps = deps;
  }

  async create(request: ForcedClaimRequest, signal: AbortSignal): Promise<CreateOutcome> {
    const { forced } = this.#deps;
    const key = { plane: request.plane, namespace: request.claim.namespace, name: request.claim.name };
    forced.expect(key);
    this.#unsure.set(objectId(key), { key, object: request.uid });
    try {
      const manifest = forcedManifest(request.claim, request.uid, request.owner);
      const { metadata } = await this.#client(key).create(manifest, {}, signal);
      const { uid = "", resourceVersion = "" } = metadata;
      this.#confirm(key, uid);
      return { outcome: "created", claim: { key, uid, version: resourceVersion } };
    } catch (error) {
      if (isRejection(error)) this.#release(key);
      if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
      return this.#useExisting(key, request, signal);
    }
  }

  /** Call it for every claim event; `claim` is undefined for a deletion. Decided and deleted claims need no forcing. */
  onClaim(key: PlaneObjectKey, claim: ClaimRecord | undefined): void {
    const id = objectId(key);
    const [unsure, open] = [this.#unsure.get(id), this.#open.get(id)];
    const isPending = claim?.state === "pending";
    if (unsure !== undefined && isPending && claim.automatic?.candidates.includes(unsure.object) === true) {
      this.#confirm(key, claim.uid); // our create succeeded although its response was lost, or an equivalent claim exists
    } else if (
      (unsure !== undefined && claim !== undefined) ||
      (open !== undefined && !(isPending && claim.uid === open.uid))
    ) {
      this.#release(key);
    }
  }

  stop(): void {
    for (const { key } of [...this.#open.values(), ...this.#unsure.values()]) this.#release(key);
  }

  async #useExisting(
    key: PlaneObjectKey,
    { claim, uid }: ForcedClaimRequest,
    signal: AbortSignal,
  ): Promise<CreateOutcome> {
    const existing = await this.#client(key).find(key, signal);
    if (existing === undefined) return { outcome: "blocked" };
    const { metadata } = existing;
    const version = { key, uid: metadata.uid ?? "", version: metadata.resourceVersion ?? "" };
    const found = checkExisting(existing, claim, uid, candidatesMax);
    switch (found.result) {
      case "foreign":
        throw new Error(`claim ${key.namespace}/${key.name} already exists and is for another object`);
      case "obsolete":
        return { outcome: "blocked" };
      case "denied":
        await this.#deps.writer.delete(version, signal);
        return { outcome: "blocked" };
      case "joinable": {
        const binding = { candidates: found.candidates, bound: undefined, owners: { change: "none" } as const };
        await this.#deps.writer.writeBinding(version, binding, signal);
        if (!found.decided) this.#confirm(key, version.uid);
        return { outcome: "exists" };
      }
      case "ours":
        if (!found.decided) this.#confirm(key, version.uid);
        return { outcome: "exists" };
      default:
        throw new Error(`unknown result ${found satisfies never}`);
    }
  }

  #release(key: PlaneObjectKey): void {
    this.#open.delete(objectId(key));
    this.#unsure.delete(objectId(key));
    this.#deps.forced.release(key);
  }

  #confirm(key: PlaneObjectKey, uid: string): void {
    this.#unsure.delete(objectId(key));
    this.#open.set(objectId(key), { key, uid });
    this.#deps.forced.confirm(key, uid);
  }

  #client({ plane }: PlaneObjectKey): ResourceClient<ResourceClaim> {
    return this.#deps.runtime.planes.client(plane).resource(claimsType, parseResourceClaim);
  }
}

/** Whether the server reported that it did not create the claim. */
function isRejection(error: unknown): boolean {
  return error instanceof StatusError && error.status.code < 500;
}
