import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import { claimOwner, mayOwn } from "../../../core/resources/claim-owner.ts";
import { planeOfConsumer } from "../../../views/control-planes.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { DecidedOn } from "../claims/claim-changes.ts";
import type { ObjectAddress } from "../objects/governed-object.ts";
import type { ObjectNeeds } from "../objects/object-needs.ts";
import { isOlder } from "../objects/object-plan.ts";
import type { PolicyPlan } from "../objects/object-plans.ts";
import { factsOf, type ObjectFacts } from "../objects/object-reader.ts";
import { claimForMissing } from "./forced-claim.ts";
import type { ForcedClaimMaker } from "./forced-claim-maker.ts";

/** A claim that was made for an object which was stored without it. */
export interface ForcedClaim {
  readonly claim: DecidedOn;
  readonly policy: string;
  /** The object is older than the policy; or came past it; or grew past it. */
  readonly why: "adopted" | "repaired" | "grown";
}

export interface SupplyOptions {
  readonly runtime: Pick<Runtime, "planes">;
  readonly needs: ObjectNeeds;
  readonly maker: ForcedClaimMaker;
  readonly made: (claim: ForcedClaim) => void;
}

/** Gives objects the claims that they lack. */
export class Supply {
  readonly #options: SupplyOptions;

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  /** Whether nothing stood in the way. */
  async make(
    { policy, claims, plan }: PolicyPlan,
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { needs, maker, made } = this.#options;
    const rendering = needs.render(policy, object, address.place.plane);
    if (rendering.outcome !== "claim") return true;
    const held = claims.map(({ uid }) => uid);
    const claim = claimForMissing(rendering.claim, plan.missing, address, held);
    const facts = factsOf(object);
    const making = await maker.make({ claim, uid: facts.uid, ...this.#placing(claim, address, facts) }, signal);
    if (making.outcome === "made") {
      const isOld = isOlder(facts.created, policy.readySince ?? "");
      const why = claims.length > 0 ? "grown" : isOld ? "adopted" : "repaired";
      made({ claim: making.claim, policy: policy.policy.metadata.name ?? "", why });
    }
    return making.outcome !== "hindered";
  }

  #placing(
    { consumer, namespace }: RenderedClaim,
    address: ObjectAddress,
    facts: ObjectFacts,
  ): { readonly plane: string; readonly owner: OwnerReference | undefined } {
    const plane = planeOfConsumer(this.#options.runtime.planes, consumer, address.place.plane);
    const isOwned = !facts.terminating && mayOwn(address.place, { plane, namespace });
    return { plane, owner: isOwned ? ownerFor(address, facts) : undefined };
  }
}

function ownerFor({ kind, place }: ObjectAddress, { uid, apiVersion }: ObjectFacts): OwnerReference {
  return claimOwner({ apiVersion, kind: kind.kind, name: place.name, uid });
}
