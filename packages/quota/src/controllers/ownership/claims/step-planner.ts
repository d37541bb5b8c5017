import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { mayOwn } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { Runtime } from "../../../views/runtime.ts";
import { objectId } from "../../object-id.ts";
import { addressOf, type ObjectAddress } from "../objects/object-address.ts";
import type { ObjectCache } from "../objects/object-cache.ts";
import { factsOf, type ObjectReader } from "../objects/object-reader.ts";
import type { ClaimIndex } from "./claim-index.ts";
import { type ClaimStep, nextStep, type ObjectObservation, type OwnershipTimes } from "./next-step.ts";

export interface StepPlannerDeps {
  readonly runtime: Pick<Runtime, "planes">;
  readonly claims: Pick<ClaimIndex, "history">;
  readonly objects: Pick<ObjectCache, "observationOf">;
  readonly reader: ObjectReader;
  readonly times: OwnershipTimes;
}

/** Determines the next step for a claim from the object cache, and from the API server where that is not sufficient. */
export class StepPlanner {
  readonly #deps: StepPlannerDeps;

  constructor(deps: StepPlannerDeps) {
    this.#deps = deps;
  }

  async plan(
    key: PlaneObjectKey,
    claim: ClaimRecord,
    automatic: AutomaticClaim,
    signal: AbortSignal,
  ): Promise<ClaimStep> {
    const address = addressOf(automatic, this.#deps.runtime.planes);
    const decide = (observation: ObjectObservation): ClaimStep =>
      this.#decide(key, claim, { automatic, address, observation });
    const step = decide(this.#deps.objects.observationOf(address));
    return step.step === "read" ? decide(await this.#read(address, signal)) : step;
  }

  /** Uses the cache alone. */
  planFromCache(key: PlaneObjectKey, claim: ClaimRecord, automatic: AutomaticClaim): ClaimStep {
    const address = addressOf(automatic, this.#deps.runtime.planes);
    return this.#decide(key, claim, { automatic, address, observation: this.#deps.objects.observationOf(address) });
  }

  /** How long the objects of its candidates may still be stored. */
  remainingTtlMs(key: PlaneObjectKey, claim: ClaimRecord): number {
    const { candidatesAgeMs } = this.#deps.claims.history.agesOf(objectId(key), claim);
    return Math.max(0, this.#deps.times.reservationTtlMs - candidatesAgeMs);
  }

  #decide(
    key: PlaneObjectKey,
    claim: ClaimRecord,
    {
      automatic,
      address,
      observation,
    }: Readonly<{ automatic: AutomaticClaim; address: ObjectAddress; observation: ObjectObservation }>,
  ): ClaimStep {
    const { claims, times } = this.#deps;
    const { state } = claim;
    const id = objectId(key);
    if (observation.object === "present") claims.history.observeObject(id, claim, observation.uid);
    const mayBeOwned = mayOwn(address.key, key);
    const storedCandidate = claims.history.storedCandidate(id, claim);
    const { candidatesAgeMs, deniedAgeMs } = claims.history.agesOf(id, claim);
    return nextStep(
      { state, automatic, mayBeOwned, observation, storedCandidate, candidatesAgeMs, deniedAgeMs },
      times,
    );
  }

  async #read(address: ObjectAddress, signal: AbortSignal): Promise<ObjectObservation> {
    const object = await this.#deps.reader.read(address, signal);
    return object === undefined ? { object: "absent" } : { object: "present", live: true, ...factsOf(object) };
  }
}
