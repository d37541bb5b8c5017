import type { GoverningPolicy } from "../claim-policies.ts";
import type { ClaimEntry, ClaimRegister } from "../claims/claim-register.ts";
import type { ObjectAddress } from "./governed-object.ts";
import { claimsBy } from "./object-claims.ts";
import { type Need, type ObjectNeeds, partOf } from "./object-needs.ts";
import { type ObjectClaim, type ObjectPlan, planFor } from "./object-plan.ts";
import type { ObjectFacts } from "./object-reader.ts";

/** What is kept of an object that claims may be for. */
export interface GovernedObject extends ObjectFacts {
  readonly needs: readonly Need[];
}

/** Field by field: the engine gives an object that others are spread into a description of its own, larger than itself. */
export function governedObject(facts: ObjectFacts, needs: readonly Need[]): GovernedObject {
  const { uid, apiVersion, terminating, created } = facts;
  return { uid, apiVersion, terminating, created, needs };
}

/** What is to be done about the claims that an object has, or lacks, by one policy. */
export interface PolicyPlan {
  readonly policy: GoverningPolicy;
  readonly claims: readonly ObjectClaim[];
  readonly plan: ObjectPlan;
}

/** Tells what is to be done about the claims of an object, by the claims and policies that can be seen. */
export class ObjectPlans {
  readonly #claims: Pick<ClaimRegister, "of" | "arrivals">;
  readonly #needs: ObjectNeeds;

  constructor(claims: Pick<ClaimRegister, "of" | "arrivals">, needs: ObjectNeeds) {
    this.#claims = claims;
    this.#needs = needs;
  }

  of(address: ObjectAddress, { uid, created, needs }: GovernedObject): readonly PolicyPlan[] {
    if (needs.length === 0) return [];
    const all = this.#claims.of(address);
    return needs.flatMap((need) => {
      const policy = this.#needs.policy(need.policy, address.kind, address.place);
      if (policy === undefined) return [];
      const { mode, existingObjects } = policy.policy;
      const claims = claimsBy(need.policy, uid, all).map((entry) => this.#claim(entry, uid));
      const { readySince } = policy;
      return [{ policy, claims, plan: planFor({ need, mode, existingObjects, readySince, created, claims }) }];
    });
  }

  #claim([place, claim]: ClaimEntry, object: string): ObjectClaim {
    const { uid, version, consumer, deleting, open, automatic } = claim;
    const parts = open === undefined ? claim.parts : open.requests.map(partOf);
    const state = claim.state === "granted" ? "granted" : "pending";
    const youngForMs = this.#claims.arrivals.youngForMs(uid);
    const isShared = automatic?.candidates.some((candidate) => candidate !== object) === true;
    return { place, uid, version, consumer, parts, state, deleting, isShared, youngForMs };
  }
}
