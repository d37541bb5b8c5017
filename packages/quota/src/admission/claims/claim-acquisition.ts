import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimManifest, type RenderedClaim } from "../../core/policy/claim-policy.ts";
import { candidatesOf, candidatesText } from "../../core/resources/claim-candidates.ts";
import {
  parseResourceClaim,
  type ResourceClaim,
  resourceClaimDefinition,
} from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax } from "../../core/resources/well-known.ts";
import { Rejection } from "../answers/rejection.ts";
import { removeClaim } from "./claim-removal.ts";
import type { Claimant } from "./claimant.ts";
import { nextStep } from "./existing-claim.ts";

const triesMax = 6;

/**
 * Acquires a claim that lists our object as a candidate: creates it, or joins an existing one. All writes are preconditioned
 * on the version that was read; after a conflict the acquisition reads the claim again.
 */
export class ClaimAcquisition {
  readonly #claims: ResourceClient<ResourceClaim>;
  readonly #wanted: RenderedClaim;
  readonly #claimant: Claimant;

  constructor(client: KubeClient, wanted: RenderedClaim, claimant: Claimant) {
    this.#claims = client.resource(resourceClaimDefinition, parseResourceClaim);
    this.#wanted = wanted;
    this.#claimant = claimant;
  }

  /** Throws Rejection when the object cannot be created, or not now. */
  async acquire(signal: AbortSignal): Promise<ResourceClaim> {
    let claim = await this.#create(signal);
    for (let tries = 0; claim === undefined && tries < triesMax; tries += 1) claim = await this.#useExisting(signal);
    if (claim !== undefined) return claim;
    throw Rejection.undecided(`too many concurrent changes of the claim ${this.#wanted.name}`);
  }

  /** Undefined when a claim of the name exists. */
  async #create(signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const noted = extendObject(this.#wanted.annotations, { [annotations.candidates]: this.#claimant.uid });
    const object = claimManifest(this.#wanted, noted) as unknown as KubernetesObject;
    try {
      return await this.#claims.create(object, {}, signal);
    } catch (error) {
      if (error instanceof StatusError && error.status.reason === "AlreadyExists") return undefined;
      // The server may have created the claim in spite of the error. Then the claim lists our object, and is found by its name.
      if (error instanceof StatusError && error.status.code < 500) throw error;
      const found = await this.#claims.find(this.#wanted, signal);
      if (found === undefined) throw error;
      return undefined;
    }
  }

  /** Undefined when the existing claim has changed meanwhile, or was removed. */
  async #useExisting(signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const claim = await this.#claims.find(this.#wanted, signal);
    if (claim === undefined) return this.#create(signal);
    const next = nextStep(claim, this.#wanted, this.#claimant.uid);
    switch (next.step) {
      case "wait":
        return this.#claimant.isStored ? this.#listAgain(claim, signal) : claim;
      case "replace":
        return this.#replace(claim, signal);
      case "checkBound":
        return this.#takeOverBound(claim, next.bound, signal);
      case "join":
        return this.#list(claim, candidatesOf(claim.metadata), signal);
      case "terminating":
        return this.#replaceTerminating(claim, next.bound, signal);
      case "full":
        throw this.#full;
      case "conflicting":
        throw Rejection.misconfigured(`a different claim ${this.#wanted.name} exists: ${next.because}`);
      default:
        throw new Error(`unknown step ${next satisfies never}`);
    }
  }

  get #full(): Rejection {
    return Rejection.undecided(`too many requests for the same object wait for the claim ${this.#wanted.name}`);
  }

  /** If the bound object exists, ours cannot be created. If it was deleted, its claim is free to be taken over. */
  async #takeOverBound(claim: ResourceClaim, bound: string, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    if (await this.#claimant.exists(bound, signal)) throw this.#claimant.alreadyExists();
    const others = candidatesOf(claim.metadata).filter((uid) => uid !== bound);
    return others.length === 0 ? this.#replace(claim, signal) : this.#list(claim, others, signal);
  }

  /**
   * For a claim that lists our object already, because of a concurrent or crashed request that makes the same change. The
   * object is listed once for each request, so that a request that withdraws leaves the claim to the others. The write also
   * makes any deletion fail that was based on the version before.
   */
  async #listAgain(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const { uid, resourceVersion } = claim.metadata;
    const others = candidatesOf(claim.metadata);
    if (others.length >= candidatesMax) throw this.#full;
    const noted = { [annotations.candidates]: candidatesText([...others, this.#claimant.uid]) };
    const body = { metadata: { uid, resourceVersion, annotations: noted } };
    return this.#unlessConflict(this.#claims.patch(this.#wanted, { type: "merge", body }, {}, signal));
  }

  async #list(
    claim: ResourceClaim,
    others: readonly string[],
    signal: AbortSignal,
  ): Promise<ResourceClaim | undefined> {
    const { uid, resourceVersion } = claim.metadata;
    const noted = {
      [annotations.candidates]: candidatesText([...others, this.#claimant.uid]),
      [annotations.bound]: null,
    };
    // Without owner references, so that the garbage collector does not delete the claim with an earlier object.
    const body = { metadata: { uid, resourceVersion, annotations: noted, ownerReferences: null } };
    return this.#unlessConflict(this.#claims.patch(this.#wanted, { type: "merge", body }, {}, signal));
  }

  async #replace(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const finalizers = await this.#unlessConflict(removeClaim(this.#claims, this.#wanted, claim, signal));
    if (finalizers !== undefined && finalizers.length > 0) throw this.#blockedBy(finalizers);
    return this.#create(signal);
  }

  /** If the bound object exists, ours cannot be created. If it was deleted, only foreign finalizers may block the removal. */
  async #replaceTerminating(
    claim: ResourceClaim,
    bound: string | undefined,
    signal: AbortSignal,
  ): Promise<ResourceClaim | undefined> {
    const isOther = bound !== undefined && bound !== this.#claimant.uid;
    if (isOther && (await this.#claimant.exists(bound, signal))) throw this.#claimant.alreadyExists();
    return this.#replace(claim, signal);
  }

  #blockedBy(finalizers: readonly string[]): Rejection {
    const blocked = `is terminating, blocked by the finalizers ${finalizers.join(", ")}`;
    return Rejection.undecided(`the claim ${this.#wanted.name} of an earlier object of this name ${blocked}`);
  }

  /** Undefined when another writer changed or deleted the claim first. */
  async #unlessConflict<Result>(write: Promise<Result>): Promise<Result | undefined> {
    try {
      return await write;
    } catch (error) {
      if (error instanceof StatusError && (error.status.code === 404 || error.status.reason === "Conflict")) {
        return undefined;
      }
      throw error;
    }
  }
}
