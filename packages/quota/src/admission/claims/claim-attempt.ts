import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimManifest, type RenderedClaim } from "../../core/policy/claim-policy.ts";
import { candidatesOf, candidatesText } from "../../core/resources/claim-candidates.ts";
import {
  parseResourceClaim,
  type ResourceClaim,
  resourceClaimDefinition,
} from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax } from "../../core/resources/well-known.ts";
import { Refused } from "../answers/refusals.ts";
import { removeClaim } from "./claim-removal.ts";
import type { Claimant } from "./claimant.ts";
import { nextStep } from "./existing-claim.ts";

const triesMax = 6;

/**
 * Gets a claim that lists our object: makes it, or comes to one that is there. Everything is on the version that was read;
 * whoever is slower starts again.
 */
export class ClaimAttempt {
  readonly #claims: ResourceClient<ResourceClaim>;
  readonly #wanted: RenderedClaim;
  readonly #claimant: Claimant;

  constructor(client: KubeClient, wanted: RenderedClaim, claimant: Claimant) {
    this.#claims = client.resource(resourceClaimDefinition, parseResourceClaim);
    this.#wanted = wanted;
    this.#claimant = claimant;
  }

  /** Throws Refused where the object cannot be created, or not now. */
  async acquire(signal: AbortSignal): Promise<ResourceClaim> {
    let claim = await this.#create(signal);
    for (let tries = 0; claim === undefined && tries < triesMax; tries += 1) claim = await this.#comeTo(signal);
    if (claim !== undefined) return claim;
    throw Refused.busy(`too many others change the claim ${this.#wanted.name} at the same time`);
  }

  /** Undefined when there is a claim of the name. */
  async #create(signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const noted = extended(this.#wanted.annotations, { [annotations.candidates]: this.#claimant.uid });
    const object = claimManifest(this.#wanted, noted) as unknown as KubernetesObject;
    try {
      return await this.#claims.create(object, {}, signal);
    } catch (error) {
      if (error instanceof StatusError && error.status.reason === "AlreadyExists") return undefined;
      // It may have been made all the same; then it lists us, and is found by its name.
      if (error instanceof StatusError && error.status.code < 500) throw error;
      const found = await this.#claims.find(this.#wanted, signal);
      if (found === undefined) throw error;
      return undefined;
    }
  }

  /** Undefined when what was there has changed meanwhile, or is out of the way. */
  async #comeTo(signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const claim = await this.#claims.find(this.#wanted, signal);
    if (claim === undefined) return this.#create(signal);
    const next = nextStep(claim, this.#wanted, this.#claimant.uid);
    switch (next.step) {
      case "wait":
        return this.#claimant.isStored ? this.#listAgain(claim, signal) : claim;
      case "replace":
        return this.#replace(claim, signal);
      case "look":
        return this.#comeToBound(claim, next.bound, signal);
      case "join":
        return this.#list(claim, candidatesOf(claim.metadata), signal);
      case "terminating":
        return this.#comeToTerminating(claim, next.bound, signal);
      case "full":
        throw this.#full;
      case "foreign":
        throw Refused.misconfigured(`there is a claim ${this.#wanted.name} that is not for this: ${next.because}`);
      default:
        throw new Error(`unknown step ${next satisfies never}`);
    }
  }

  get #full(): Refused {
    return Refused.busy(`too many requests for the same object wait for the claim ${this.#wanted.name}`);
  }

  /** The object of that name is there, and this one cannot be stored; or it is gone, and its claim is free. */
  async #comeToBound(claim: ResourceClaim, bound: string, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    if (await this.#claimant.exists(bound, signal)) throw this.#claimant.taken();
    const others = candidatesOf(claim.metadata).filter((uid) => uid !== bound);
    return others.length === 0 ? this.#replace(claim, signal) : this.#list(claim, others, signal);
  }

  /**
   * Somebody else makes the same change to the object, or somebody did and left this behind. The object is listed once for
   * each of them, so that one who goes leaves the claim to the others; and as with every write, no deletion comes through
   * that was decided on before.
   */
  async #listAgain(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const { uid, resourceVersion } = claim.metadata;
    const others = candidatesOf(claim.metadata);
    if (others.length >= candidatesMax) throw this.#full;
    const noted = { [annotations.candidates]: candidatesText([...others, this.#claimant.uid]) };
    const body = { metadata: { uid, resourceVersion, annotations: noted } };
    return this.#orLost(this.#claims.patch(this.#wanted, { type: "merge", body }, {}, signal));
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
    // An object that is gone, or does not come, must not take the claim with it.
    const body = { metadata: { uid, resourceVersion, annotations: noted, ownerReferences: null } };
    return this.#orLost(this.#claims.patch(this.#wanted, { type: "merge", body }, {}, signal));
  }

  /** Out of the way with it; what is there next is seen by the next try. */
  async #replace(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim | undefined> {
    const keepers = await this.#orLost(removeClaim(this.#claims, this.#wanted, claim, signal));
    if (keepers !== undefined && keepers.length > 0) throw this.#keptBy(keepers);
    return this.#create(signal);
  }

  /** Its object exists, and this one cannot be stored; or it is gone, and nothing of ours keeps the claim. */
  async #comeToTerminating(
    claim: ResourceClaim,
    bound: string | undefined,
    signal: AbortSignal,
  ): Promise<ResourceClaim | undefined> {
    const isOther = bound !== undefined && bound !== this.#claimant.uid;
    if (isOther && (await this.#claimant.exists(bound, signal))) throw this.#claimant.taken();
    return this.#replace(claim, signal);
  }

  #keptBy(finalizers: readonly string[]): Refused {
    const kept = `is being deleted, and kept by ${finalizers.join(", ")}`;
    return Refused.busy(`the claim ${this.#wanted.name} of an earlier object of this name ${kept}`);
  }

  /** Somebody else was faster: what is there is looked at anew. */
  async #orLost<Result>(write: Promise<Result>): Promise<Result | undefined> {
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
