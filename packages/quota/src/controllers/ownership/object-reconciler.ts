import { type ReconcileResult, reconciled, requeueAfter } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { planeOfConsumer } from "../../views/control-planes.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { FailureCollector } from "../failure-collector.ts";
import type { ClaimWriter } from "./claims/claim-writer.ts";
import type { MissingClaimCreator } from "./forced/missing-claim-creator.ts";
import { addressId, type ObjectAddress } from "./objects/object-address.ts";
import type { ObjectCache } from "./objects/object-cache.ts";
import type { ObjectNeeds } from "./objects/object-needs.ts";
import { isEmptyPlan, type ObjectPlan } from "./objects/object-plan.ts";
import type { GovernedObject, ObjectPlans, PolicyPlan } from "./objects/object-plans.ts";
import { factsOf, type ObjectReader } from "./objects/object-reader.ts";
import { PlaneQueues } from "./plane-queues.ts";

/** Lowers the allocations of a granted claim to these parts. */
export interface ClaimShrinker {
  shrink(key: PlaneObjectKey, uid: string, parts: readonly ClaimPart[]): void;
}

export interface ObjectReconcilerDeps {
  readonly runtime: Runtime;
  readonly objects: Pick<ObjectCache, "get">;
  readonly plans: ObjectPlans;
  /** Resolves when the claim cache contains all claims created before the call. */
  readonly waitUntilClaimsFresh: (signal: AbortSignal) => Promise<void>;
  readonly needs: ObjectNeeds;
  readonly reader: ObjectReader;
  readonly writer: ClaimWriter;
  readonly creator: MissingClaimCreator;
  readonly shrinker: ClaimShrinker;
}

interface QueueKey {
  readonly address: ObjectAddress;
  readonly planes: string;
}

const retryMs = 2_000;

/** Makes sure that the claims of an object hold what policies require: no less, and no more. */
export class ObjectReconciler implements Running {
  readonly #deps: ObjectReconcilerDeps;
  readonly #queue: PlaneQueues<QueueKey>;

  constructor(deps: ObjectReconcilerDeps) {
    this.#deps = deps;
    const { clock, random, report } = deps.runtime;
    this.#queue = new PlaneQueues({
      reconcile: ({ address }, signal) => this.#reconcile(address, signal),
      idOf: ({ address }) => addressId(address),
      observer: deps.runtime.queueObservers?.("object-claims"),
      planesOf: ({ planes }) => planes,
      clock,
      random,
      report: (error, { address: { kind, key } }) =>
        report(`claims for ${kind.kind} ${key.namespace}/${key.name}`, error),
    });
  }

  /** Queues an object if its claims differ from its needs according to the caches. */
  enqueue(address: ObjectAddress): void {
    const object = this.#deps.objects.get(address);
    if (object === undefined) return;
    if (this.#deps.plans.of(address, object).every(({ plan }) => isEmptyPlan(plan))) return;
    this.#queue.add({ address, planes: this.#planesOf(address, object).join("\n") });
  }

  #planesOf({ key }: ObjectAddress, { needs }: GovernedObject): readonly string[] {
    const { planes } = this.#deps.runtime;
    const consumers = needs.flatMap((need) => (need.need === "claim" ? [need.consumer] : []));
    return [...new Set([key.plane, ...consumers.map((each) => planeOfConsumer(planes, each, key.plane))])];
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** Caches may be outdated: reads the object, and then refreshes the claims, before it changes anything. */
  async #reconcile(address: ObjectAddress, signal: AbortSignal): Promise<ReconcileResult> {
    const { reader, needs, objects, waitUntilClaimsFresh } = this.#deps;
    const cached = objects.get(address);
    const planned = cached === undefined ? [] : this.#deps.plans.of(address, cached);
    if (planned.every(({ plan }) => !hasActions(plan))) return nextReconcile(planned);
    const object = await reader.read(address, signal);
    if (object === undefined || factsOf(object).uid !== cached?.uid) return reconciled;
    await waitUntilClaimsFresh(signal);
    const live = { ...factsOf(object), needs: needs.of(object, address.key.plane, address.kind) };
    const plans = this.#deps.plans.of(address, live);
    let isBlocked = false;
    const failures = new FailureCollector(); // a failure for one policy does not affect the others
    for (const plan of plans) {
      const execution = this.#execute(plan, address, object, signal);
      await failures.collect(execution.then((isDone) => (isBlocked ||= !isDone)));
    }
    failures.throwFirst();
    return isBlocked ? requeueAfter(retryMs) : nextReconcile(plans);
  }

  /** Returns false if another client's change requires a retry. */
  async #execute(
    planned: PolicyPlan,
    address: ObjectAddress,
    object: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { writer, shrinker, creator } = this.#deps;
    const { plan } = planned;
    for (const { claim, parts } of plan.oversized) shrinker.shrink(claim.key, claim.uid, parts);
    try {
      for (const claim of plan.superfluous) await writer.delete(claim, signal);
      return plan.missing.length === 0 || (await creator.create(planned, address, object, signal));
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 409) return false;
      throw error;
    }
  }
}

function hasActions({ missing, superfluous, oversized }: ObjectPlan): boolean {
  return missing.length + superfluous.length + oversized.length > 0;
}

function nextReconcile(plans: readonly PolicyPlan[]): ReconcileResult {
  const waits = plans.flatMap(({ plan: { waitMs } }) => (waitMs === undefined ? [] : [waitMs]));
  return waits.length === 0 ? reconciled : requeueAfter(Math.min(...waits));
}
