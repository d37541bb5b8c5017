import type { GoverningPolicy } from "../claim-policies.ts";
import type { ClaimEntry, ClaimIndex } from "../claims/claim-index.ts";
import type { ObjectAddress } from "./object-address.ts";
import { claimsOfPolicy } from "./object-claims.ts";
import { type Need, type ObjectNeeds, partOf } from "./object-needs.ts";
import { type ObjectClaim, type ObjectPlan, planFor } from "./object-plan.ts";
import type { ObjectFacts } from "./object-reader.ts";

/** The cached part of an object that a claim policy may apply to. */
export interface GovernedObject extends ObjectFacts {
  readonly needs: readonly Need[];
}

/** Lists the fields because V8 gives objects built by spreading a hidden class each, which takes more memory than the object. */
export function governedObject(facts: ObjectFacts, needs: readonly Need[]): GovernedObject {
  const { uid, apiVersion, terminating, created } = facts;
  return { uid, apiVersion, terminating, created, needs };
}

/** The changes to the claims of an object that one policy requires. */
export interface PolicyPlan {
  readonly policy: GoverningPolicy;
  readonly claims: readonly ObjectClaim[];
  readonly plan: ObjectPlan;
}

/** Plans the changes to the claims of an object from the cached claims and policies. */
export class ObjectPlans {
  readonly #claims: Pick<ClaimIndex, "of" | "recent">;
  readonly #needs: ObjectNeeds;

  constructor(claims: Pick<ClaimIndex, "of" | "recent">, needs: ObjectNeeds) {
    this.#claims = claims;
    this.#needs = needs;
  }

  of(address: ObjectAddress, { uid, created, needs }: GovernedObject): readonly PolicyPlan[] {
    if (needs.length === 0) return [];
    const all = this.#claims.of(address);
    return needs.flatMap((need) => {
      const policy = this.#needs.policy(need.policy, address.kind, address.key);
      if (policy === undefined) return [];
      const { mode, existingObjects } = policy.policy;
      const claims = claimsOfPolicy(need.policy, uid, all).map((entry) => this.#claim(entry, uid));
      const { enforcedSince } = policy;
      return [{ policy, claims, plan: planFor({ need, mode, existingObjects, enforcedSince, created, claims }) }];
    });
  }

  #claim([key, claim]: ClaimEntry, object: string): ObjectClaim {
    const { uid, version, consumer, deleting, open, automatic } = claim;
    const parts = open === undefined ? claim.parts : open.requests.map(partOf);
    const state = claim.state === "granted" ? "granted" : "pending";
    const recentForMs = this.#claims.recent.recentForMs(uid);
    const isShared = automatic?.candidates.some((candidate) => candidate !== object) === true;
    return { key, uid, version, consumer, parts, state, deleting, isShared, recentForMs };
  }
}
