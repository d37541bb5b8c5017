import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { again, type Outcome, settled } from "../../kube/queue/work-queue.ts";
import type { ObjectPlace } from "../../kube/watch/informer.ts";
import { StatusError } from "../../protocol/api-status.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { planeOfConsumer } from "../control-planes.ts";
import type { Running, Runtime } from "../runtime.ts";
import type { ClaimChanges, DecidedOn } from "./claim-changes.ts";
import type { GoverningPolicy } from "./claim-policies.ts";
import type { ClaimEntry, ClaimRegister } from "./claim-register.ts";
import { claimForMissing } from "./forced-claim.ts";
import type { ForcedClaimMaker } from "./forced-claim-maker.ts";
import { addressKey, mayBeOwned, type ObjectAddress } from "./governed-object.ts";
import { claimsBy } from "./object-claims.ts";
import { type Need, type ObjectNeeds, partOf } from "./object-needs.ts";
import { isAtRest, isOlder, type ObjectClaim, type ObjectPlan, planFor } from "./object-plan.ts";
import { factsOf, type ObjectFacts, type ObjectReader } from "./object-reader.ts";
import type { ObjectViews } from "./object-views.ts";
import { PlaneQueues } from "./plane-queues.ts";

/** What is kept of an object that claims may be for. */
export interface GovernedObject extends ObjectFacts {
  readonly needs: readonly Need[];
}

/** Lowers what a granted claim holds; the parts are what it is to hold from then on. */
export interface ClaimShrinker {
  shrink(place: ObjectPlace, uid: string, parts: readonly ClaimPart[]): void;
}

/** A claim that was made for an object which was stored without it. */
export interface ForcedClaim {
  readonly claim: DecidedOn;
  readonly policy: string;
  /** The object is older than the policy; or came past it; or grew past it. */
  readonly why: "adopted" | "repaired" | "grown";
}

export interface CustodianOptions {
  readonly runtime: Runtime;
  readonly objects: Pick<ObjectViews, "get">;
  readonly claims: Pick<ClaimRegister, "of" | "arrivals">;
  /** Resolves when all claims that were made before are known. */
  readonly knowsAllClaims: (signal: AbortSignal) => Promise<void>;
  readonly needs: ObjectNeeds;
  readonly reader: ObjectReader;
  readonly changes: ClaimChanges;
  readonly maker: ForcedClaimMaker;
  readonly shrinker: ClaimShrinker;
  readonly forced: (made: ForcedClaim) => void;
}

interface ObjectKey {
  readonly address: ObjectAddress;
  readonly planes: string;
}

interface PolicyPlan {
  readonly policy: GoverningPolicy;
  readonly claims: readonly ObjectClaim[];
  readonly plan: ObjectPlan;
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
    if (this.#plans(address, object).every(({ plan }) => isAtRest(plan))) return;
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
    const planned = seen === undefined ? [] : this.#plans(address, seen);
    if (planned.every(({ plan }) => !isToAct(plan))) return soonest(planned);
    const object = await reader.read(address, signal);
    if (object === undefined || factsOf(object).uid !== seen?.uid) return settled;
    await knowsAllClaims(signal);
    const live = { ...factsOf(object), needs: needs.of(object, address.place.plane, address.kind) };
    const plans = this.#plans(address, live);
    let isHindered = false;
    for (const plan of plans) isHindered = !(await this.#carryOut(plan, address, object, signal)) || isHindered;
    return isHindered ? again(hinderedMs) : soonest(plans);
  }

  #plans(address: ObjectAddress, { uid, created, needs }: GovernedObject): readonly PolicyPlan[] {
    if (needs.length === 0) return [];
    const all = this.#options.claims.of(address);
    return needs.flatMap((need) => {
      const policy = this.#options.needs.policy(need.policy, address.kind, address.place);
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
    const youngForMs = this.#options.claims.arrivals.youngForMs(uid);
    const isShared = automatic?.candidates.some((candidate) => candidate !== object) === true;
    return { place, uid, version, consumer, parts, state, deleting, isShared, youngForMs };
  }

  /** Whether nothing stood in the way. */
  async #carryOut(
    { policy, claims, plan }: PolicyPlan,
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { changes, shrinker } = this.#options;
    for (const { claim, parts } of plan.oversized) shrinker.shrink(claim.place, claim.uid, parts);
    try {
      for (const claim of plan.superfluous) await changes.release(claim, signal);
      if (plan.missing.length === 0) return true;
      return await this.#force({ policy, claims, missing: plan.missing }, address, object, signal);
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 409) return false;
      throw error;
    }
  }

  async #force(
    lack: {
      readonly policy: GoverningPolicy;
      readonly claims: readonly ObjectClaim[];
      readonly missing: readonly ClaimPart[];
    },
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { needs, maker, runtime, forced } = this.#options;
    const { policy, claims, missing } = lack;
    const rendering = needs.render(policy, object, address.place.plane);
    if (rendering.outcome !== "claim") return true;
    const claim = claimForMissing(
      rendering.claim,
      missing,
      address,
      claims.map(({ uid }) => uid),
    );
    const plane = planeOfConsumer(runtime.planes, claim.consumer, address.place.plane);
    const facts = factsOf(object);
    const isOwned = !facts.terminating && mayBeOwned({ plane, namespace: claim.namespace, name: claim.name }, address);
    const owner = isOwned ? ownerFor(address, facts) : undefined;
    const making = await maker.make({ plane, claim, uid: facts.uid, owner }, signal);
    if (making.outcome === "made") {
      const why =
        claims.length > 0 ? "grown" : isOlder(facts.created, policy.readySince ?? "") ? "adopted" : "repaired";
      forced({ claim: making.claim, policy: policy.policy.metadata.name ?? "", why });
    }
    return making.outcome !== "hindered";
  }
}

function ownerFor({ kind, place }: ObjectAddress, { uid, apiVersion }: ObjectFacts) {
  return { apiVersion, kind: kind.kind, name: place.name, uid, controller: false, blockOwnerDeletion: false };
}

function isToAct({ missing, superfluous, oversized }: ObjectPlan): boolean {
  return missing.length + superfluous.length + oversized.length > 0;
}

function soonest(plans: readonly PolicyPlan[]): Outcome {
  const waits = plans.flatMap(({ plan: { waitMs } }) => (waitMs === undefined ? [] : [waitMs]));
  return waits.length === 0 ? settled : again(Math.min(...waits));
}
