import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { mayOwn } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { Runtime } from "../../../views/runtime.ts";
import { addressOf, type ObjectAddress, placeKey } from "../objects/governed-object.ts";
import { factsOf, type ObjectReader } from "../objects/object-reader.ts";
import type { ObjectViews } from "../objects/object-views.ts";
import type { ClaimRegister } from "./claim-register.ts";
import { type ClaimStep, nextStep, type OwnershipTimes, type Sighting } from "./next-step.ts";

export interface ClaimDecisionsOptions {
  readonly runtime: Pick<Runtime, "planes">;
  readonly claims: Pick<ClaimRegister, "firstSeen">;
  readonly objects: Pick<ObjectViews, "sightingOf">;
  readonly reader: ObjectReader;
  readonly times: OwnershipTimes;
}

/** Decides about claims by what can be seen of their objects, and by what servers say where that is not enough. */
export class ClaimDecisions {
  readonly #options: ClaimDecisionsOptions;

  constructor(options: ClaimDecisionsOptions) {
    this.#options = options;
  }

  async of(place: ObjectPlace, claim: ClaimRecord, automatic: AutomaticClaim, signal: AbortSignal): Promise<ClaimStep> {
    const address = addressOf(automatic, this.#options.runtime.planes);
    const decide = (object: Sighting): ClaimStep => this.#decide(place, claim, { automatic, address, object });
    const step = decide(this.#options.objects.sightingOf(address));
    return step.step === "look" ? decide(await this.#look(address, signal)) : step;
  }

  /** The same by what can be seen alone. */
  seen(place: ObjectPlace, claim: ClaimRecord, automatic: AutomaticClaim): ClaimStep {
    const address = addressOf(automatic, this.#options.runtime.planes);
    return this.#decide(place, claim, { automatic, address, object: this.#options.objects.sightingOf(address) });
  }

  #decide(
    place: ObjectPlace,
    claim: ClaimRecord,
    { automatic, address, object }: Readonly<{ automatic: AutomaticClaim; address: ObjectAddress; object: Sighting }>,
  ): ClaimStep {
    const { claims, times } = this.#options;
    const { state } = claim;
    const key = placeKey(place);
    if (object.sight === "there") claims.firstSeen.sawObject(key, claim, object.uid);
    const mayBeOwned = mayOwn(address.place, place);
    const landed = claims.firstSeen.landed(key, claim);
    const { listSeenMs, deniedSeenMs } = claims.firstSeen.agesOf(key, claim);
    return nextStep({ state, automatic, mayBeOwned, object, landed, listSeenMs, deniedSeenMs }, times);
  }

  /** How long objects on its list may still come. */
  mayComeForMs(place: ObjectPlace, claim: ClaimRecord): number {
    const { listSeenMs } = this.#options.claims.firstSeen.agesOf(placeKey(place), claim);
    return Math.max(0, this.#options.times.reservationTtlMs - listSeenMs);
  }

  async #look(address: ObjectAddress, signal: AbortSignal): Promise<Sighting> {
    const object = await this.#options.reader.read(address, signal);
    return object === undefined ? { sight: "gone" } : { sight: "there", live: true, ...factsOf(object) };
  }
}
