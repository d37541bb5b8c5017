import { again, type Outcome, settled } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { planeOfConsumer } from "../../views/control-planes.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { Deferred } from "../writer/all-of.ts";
import type { ClaimChanges } from "./claims/claim-changes.ts";
import type { Supply } from "./forced/supply.ts";
import { addressKey, type ObjectAddress } from "./objects/governed-object.ts";
import type { ObjectNeeds } from "./objects/object-needs.ts";
import { isAtRest, type ObjectPlan } from "./objects/object-plan.ts";
import type { GovernedObject, ObjectPlans, PolicyPlan } from "./objects/object-plans.ts";
import { factsOf, type ObjectReader } from "./objects/object-reader.ts";
import type { ObjectViews } from "./objects/object-views.ts";
import { PlaneQueues } from "./plane-queues.ts";

/** Lowers what a granted claim holds; the parts are what it is to hold from then on. */
export interface ClaimShrinker {
  shrink(place: ObjectPlace, uid: string, parts: readonly ClaimPart[]): void;
}

export interface CustodianOptions {
  readonly runtime: Runtime;
  readonly objects: Pick<ObjectViews, "get">;
  readonly plans: ObjectPlans;
  /** Resolves when all claims that were made before are known. */
  readonly knowsAllClaims: (signal: AbortSignal) => Promise<void>;
  readonly needs: ObjectNeeds;
  readonly reader: ObjectReader;
  readonly changes: ClaimChanges;
  readonly supply: Supply;
  readonly shrinker: ClaimShrinker;
}

interface ObjectKey {
  readonly address: ObjectAddress;
  readonly planes: string;
}

const hinderedMs = 2_000;

/** Sees to it that objects hold what policies want them to hold: no less, and no more. */
export class Custodian implements Running {
  readonly #options: CustodianOptions;
  readonly #queue: PlaneQueues<ObjectKey>;

  constructor(options: CustodianOptions) {
    this.#options = options;
    const { clock, random, report } = options.runtime;
    this.#queue = new PlaneQueues({
      work: ({ address }, signal) => this.#reconcile(address, signal),
      idOf: ({ address }) => addressKey(address),
      told: options.runtime.toldQueues?.("object-claims"),
      planesOf: ({ planes }) => planes,
      clock,
      random,
      report: (error, { address: { kind, place } }) =>
        report(`claims for ${kind.kind} ${place.namespace}/${place.name}`, error),
    });
  }

  /** Looks after an object, if there is something to do about it as far as can be seen. */
  attend(address: ObjectAddress): void {
    const object = this.#options.objects.get(address);
    if (object === undefined) return;
    if (this.#options.plans.of(address, object).every(({ plan }) => isAtRest(plan))) return;
    this.#queue.add({ address, planes: this.#planesOf(address, object).join("\n") });
  }

  #planesOf({ place }: ObjectAddress, { needs }: GovernedObject): readonly string[] {
    const { planes } = this.#options.runtime;
    const consumers = needs.flatMap((need) => (need.need === "claim" ? [need.consumer] : []));
    return [...new Set([place.plane, ...consumers.map((each) => planeOfConsumer(planes, each, place.plane))])];
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** What can be seen may be late: before anything is done, the object is read, and then its claims. */
  async #reconcile(address: ObjectAddress, signal: AbortSignal): Promise<Outcome> {
    const { reader, needs, objects, knowsAllClaims } = this.#options;
    const seen = objects.get(address);
    const planned = seen === undefined ? [] : this.#options.plans.of(address, seen);
    if (planned.every(({ plan }) => !isToAct(plan))) return soonest(planned);
    const object = await reader.read(address, signal);
    if (object === undefined || factsOf(object).uid !== seen?.uid) return settled;
    await knowsAllClaims(signal);
    const live = { ...factsOf(object), needs: needs.of(object, address.place.plane, address.kind) };
    const plans = this.#options.plans.of(address, live);
    let isHindered = false;
    const failures = new Deferred(); // what one policy wants and cannot have is no reason to leave the others
    for (const plan of plans) {
      const carryOut = this.#carryOut(plan, address, object, signal);
      await failures.of(carryOut.then((isDone) => (isHindered ||= !isDone)));
    }
    failures.throwFirst();
    return isHindered ? again(hinderedMs) : soonest(plans);
  }

  /** Whether nothing stood in the way. */
  async #carryOut(
    planned: PolicyPlan,
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { changes, shrinker, supply } = this.#options;
    const { plan } = planned;
    for (const { claim, parts } of plan.oversized) shrinker.shrink(claim.place, claim.uid, parts);
    try {
      for (const claim of plan.superfluous) await changes.release(claim, signal);
      return plan.missing.length === 0 || (await supply.make(planned, address, object, signal));
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 409) return false;
      throw error;
    }
  }
}

function isToAct({ missing, superfluous, oversized }: ObjectPlan): boolean {
  return missing.length + superfluous.length + oversized.length > 0;
}

function soonest(plans: readonly PolicyPlan[]): Outcome {
  const waits = plans.flatMap(({ plan: { waitMs } }) => (waitMs === undefined ? [] : [waitMs]));
  return waits.length === 0 ? settled : again(Math.min(...waits));
}
