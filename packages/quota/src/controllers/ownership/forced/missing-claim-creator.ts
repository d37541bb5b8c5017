import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import { claimOwner, mayOwn } from "../../../core/resources/claim-owner.ts";
import { planeOfConsumer } from "../../../views/control-planes.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { ClaimVersion } from "../claims/claim-writer.ts";
import type { ObjectAddress } from "../objects/object-address.ts";
import type { ObjectNeeds } from "../objects/object-needs.ts";
import { isOlder } from "../objects/object-plan.ts";
import type { PolicyPlan } from "../objects/object-plans.ts";
import { factsOf, type ObjectFacts } from "../objects/object-reader.ts";
import { claimForMissing } from "./forced-claim.ts";
import type { ForcedClaimWriter } from "./forced-claim-writer.ts";

/** A claim that was created for an existing object. */
export interface ForcedClaim {
  readonly claim: ClaimVersion;
  readonly policy: string;
  /** The object is older than the policy, was stored without a claim, or is larger than its claims. */
  readonly reason: "adopted" | "repaired" | "grown";
}

export interface MissingClaimCreatorDeps {
  readonly runtime: Pick<Runtime, "planes">;
  readonly needs: ObjectNeeds;
  readonly writer: ForcedClaimWriter;
  readonly onForced: (claim: ForcedClaim) => void;
}

/** Creates the claims that existing objects lack. */
export class MissingClaimCreator {
  readonly #deps: MissingClaimCreatorDeps;

  constructor(deps: MissingClaimCreatorDeps) {
    this.#deps = deps;
  }

  /** Returns false if a conflicting claim requires a retry. */
  async create(
    { policy, claims, plan }: PolicyPlan,
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { needs, writer, onForced } = this.#deps;
    const rendering = needs.render(policy, object, address.key.plane);
    if (rendering.outcome !== "claim") return true;
    const held = claims.map(({ uid }) => uid);
    const claim = claimForMissing(rendering.claim, plan.missing, address, held);
    const facts = factsOf(object);
    const created = await writer.create(
      { claim, uid: facts.uid, ...this.#planeAndOwner(claim, address, facts) },
      signal,
    );
    if (created.outcome === "created") {
      const isOld = isOlder(facts.created, policy.enforcedSince ?? "");
      const reason = claims.length > 0 ? "grown" : isOld ? "adopted" : "repaired";
      onForced({ claim: created.claim, policy: policy.policy.metadata.name ?? "", reason });
    }
    return created.outcome !== "blocked";
  }

  #planeAndOwner(
    { consumer, namespace }: RenderedClaim,
    address: ObjectAddress,
    facts: ObjectFacts,
  ): { readonly plane: string; readonly owner: OwnerReference | undefined } {
    const plane = planeOfConsumer(this.#deps.runtime.planes, consumer, address.key.plane);
    const isOwned = !facts.terminating && mayOwn(address.key, { plane, namespace });
    return { plane, owner: isOwned ? ownerFor(address, facts) : undefined };
  }
}

function ownerFor({ kind, key }: ObjectAddress, { uid, apiVersion }: ObjectFacts): OwnerReference {
  return claimOwner({ apiVersion, kind: kind.kind, name: key.name, uid });
}
