import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type GrantOrigin, originId } from "../../core/policy/grant-origin.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { KindInformers } from "../kind-informers.ts";
import { ObjectReader } from "../ownership/objects/object-reader.ts";
import { isConflict, shouldReport } from "../status/conflicts.ts";
import { cachedDesiredState, policyOf } from "./cached-desired-state.ts";
import { type DesiredGrant, GrantWriter } from "./grant-writer.ts";
import { GrantsByOrigin } from "./grants-by-origin.ts";
import { liveDesiredState } from "./live-desired-state.ts";
import type { ParentContexts } from "./parent-contexts.ts";
import { ParentObjects } from "./parent-objects.ts";
import { PlaneCircuitBreaker } from "./plane-circuit-breaker.ts";
import { PolicyChanges } from "./policy-changes.ts";
import { PolicyProblemEvents } from "./policy-problem-events.ts";
import { originOf, planeOfLabel, type RenderedTrigger, renderGrants } from "./rendered-grants.ts";
import { WriteThrottle } from "./write-throttle.ts";

export interface GrantEngineOptions {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "grants">;
  readonly policies: GrantPolicyCache;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  readonly parents: ParentContexts;
  readonly events: Pick<EventRecorder, "record">;
}

/** When to retry if the caches disagree with the API server. */
const disagreementMs = 5_000;

/** How often to check whether the object of a grant exists that it does not own, and whose policy is deleted or disabled. */
const orphansMs = 300_000;

/** Creates, updates and deletes grants as grant policies render them for objects. */
export class GrantEngine implements Running {
  readonly #options: GrantEngineOptions;
  readonly #queue: WorkQueue<GrantOrigin>;
  readonly #triggers: KindInformers<RenderedTrigger>;
  readonly #grants: GrantsByOrigin;
  readonly #parentObjects: ParentObjects;
  readonly #writer: GrantWriter;
  readonly #reader: ObjectReader;
  readonly #problems: PolicyProblemEvents;
  readonly #breaker: PlaneCircuitBreaker;
  readonly #throttle: WriteThrottle;
  readonly #unsubscribe: () => void;

  constructor(options: GrantEngineOptions) {
    this.#options = options;
    const { runtime, views, policies, restMapper, events } = options;
    this.#queue = new WorkQueue({
      reconcile: (origin, signal) => this.#reconcile(origin, signal),
      idOf: originId,
      laneOf: ({ plane }) => plane,
      observer: runtime.queueObservers?.("grant-policies"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, origin, failures) => {
        if (shouldReport(error, failures)) runtime.report(`grant engine, ${textOf(origin)}`, error);
      },
    });
    this.#writer = new GrantWriter(runtime.planes, views.grants);
    this.#reader = new ObjectReader(runtime.planes, restMapper);
    this.#parentObjects = new ParentObjects({
      ...options,
      reader: this.#reader,
      onChange: (origin) => this.#queue.add(origin),
    });
    this.#throttle = new WriteThrottle(runtime.elapsedMs);
    this.#breaker = new PlaneCircuitBreaker(runtime);
    this.#problems = new PolicyProblemEvents(policies, events);
    this.#triggers = this.#watchTriggers();
    this.#grants = new GrantsByOrigin(views.grants, (origin) => this.#queue.add(origin));
    const changes = new PolicyChanges(policies);
    this.#unsubscribe = policies.onChange((policy) => this.#policyChanged(policy, changes.kindsAffected(policy)));
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#grants.stop();
    await Promise.all([this.#triggers.stop(), this.#parentObjects.stop(), this.#queue.stop()]);
  }

  #watchTriggers(): KindInformers<RenderedTrigger> {
    const { runtime, policies, restMapper } = this.#options;
    return new KindInformers({
      runtime,
      restMapper,
      owner: "grant engine",
      planesOf: (kind) =>
        [...policies.entries()].filter((policy) => sameGroupKind(policy.kind, kind)).map(({ plane }) => plane),
      keep: (object, plane, kind) => renderGrants(object, { plane, kind }, { planes: runtime.planes, policies }),
      handler: {
        onAdd: (kind, key, now) => this.#enqueue(kind, key, now),
        onUpdate: (kind, key, before, now) => this.#enqueue(kind, key, before, now),
        onDelete: (kind, key, before) => this.#enqueue(kind, key, before),
        onSynced: (kind) => this.#enqueueExisting((origin) => sameGroupKind(origin.kind, kind)),
      },
    });
  }

  /** Renders the grants of all objects again. */
  #policyChanged(policy: PolicyKey, kinds: readonly GroupKind[]): void {
    if (kinds.length === 0) return;
    this.#parentObjects.policiesChanged();
    const { policies, runtime } = this.#options;
    this.#triggers.setKinds(policies.kinds());
    for (const kind of kinds) this.#triggers.refilter(kind);
    this.#enqueueExisting((origin) => {
      const { plane, name } = policyOf(origin, runtime.planes);
      return plane === policy.plane && name === policy.name;
    });
  }

  #enqueue(kind: GroupKind, key: PlaneObjectKey, ...triggers: readonly RenderedTrigger[]): void {
    for (const { policy } of triggers.flatMap(({ renderings }) => renderings)) {
      this.#queue.add(originOf(policy, kind, key, this.#options.runtime.planes));
    }
  }

  #enqueueExisting(isAffected: (origin: GrantOrigin) => boolean): void {
    for (const origin of this.#grants.origins(isAffected)) this.#queue.add(origin);
  }

  async #reconcile(origin: GrantOrigin, signal: AbortSignal): Promise<ReconcileResult> {
    const { runtime, views, policies } = this.#options;
    await abortable(Promise.all([policies.ready, views.grants.synced]), signal);
    const state = cachedDesiredState(origin, { planes: runtime.planes, policies, triggers: this.#triggers });
    if (state.outcome === "unknown") {
      if (state.problem !== undefined) this.#recordProblem(origin, state.problem);
      return reconciled;
    }
    if (state.outcome === "grant") {
      if ((await this.#hasParent(state.desired, signal)) !== true) return reconciled;
      const waitMs = await this.#ensure(state.desired, signal);
      if (waitMs > 0) return requeueAfter(waitMs);
    } else this.#forgetParent(origin);
    this.#problems.clear(originId(origin));
    const grants = this.#grants.of(origin);
    if (state.outcome === "grant") {
      return this.#removeAll(
        origin,
        grants.filter((key) => !isSame(key, state.desired.key)),
        signal,
      );
    }
    // The garbage collector deletes the grants that the object owns.
    const orphans = grants.filter((key) => state.outcome === "nothing" || !this.#writer.isOwned(key));
    return this.#removeAll(origin, orphans, signal);
  }

  /** Undefined while that is not known. */
  async #hasParent({ origin, grant }: DesiredGrant, signal: AbortSignal): Promise<boolean | undefined> {
    const { parent } = grant;
    if (parent === undefined) return true;
    const exists = await this.#breaker.call(this.#options.runtime.planes.root, signal, (limit) =>
      this.#parentObjects.exists(parent, origin, limit),
    );
    if (exists === false) {
      this.#recordProblem(origin, `spec.target.parentContext: ${parent.kind} "${parent.name}" does not exist`);
    }
    return exists;
  }

  #forgetParent(origin: GrantOrigin): void {
    const { parents, runtime } = this.#options;
    parents.forget(policyOf(origin, runtime.planes), originId(origin));
    this.#parentObjects.forget(origin);
  }

  /** Returns how long to wait if the write is throttled, else 0. */
  async #ensure(desired: DesiredGrant, signal: AbortSignal): Promise<number> {
    const { origin, grant } = desired;
    const { parents, runtime } = this.#options;
    try {
      if (!this.#writer.isDone(desired)) {
        const waitMs = this.#throttle.waitMs(originId(origin));
        if (waitMs > 0) return waitMs;
        await this.#breaker.call(desired.key.plane, signal, (limit) => this.#writer.write(desired, limit));
      }
    } catch (error) {
      if (!signal.aborted && !isConflict(error)) {
        this.#recordProblem(origin, messageOf(error), grant.parent !== undefined);
      }
      throw error;
    }
    if (grant.parent !== undefined) parents.record(policyOf(origin, runtime.planes), originId(origin));
    return 0;
  }

  /** Records an event; a problem with the parent context also shows in the conditions of the policy. */
  #recordProblem(
    origin: GrantOrigin,
    message: string,
    isParentProblem = message.includes("spec.target.parentContext"),
  ): void {
    const { parents, runtime } = this.#options;
    const policy = policyOf(origin, runtime.planes);
    const text = `${textOf(origin)}: ${message}`;
    if (isParentProblem) parents.record(policy, originId(origin), text);
    this.#problems.record(policy, originId(origin), text);
  }

  /** Deletes grants of the origin that are not desired, but only after the API servers have confirmed it. */
  async #removeAll(
    origin: GrantOrigin,
    others: readonly PlaneObjectKey[],
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    if (others.length === 0) return reconciled;
    const { planes } = this.#options.runtime;
    const live = await this.#breaker.call(planeOfLabel(origin.plane, planes), signal, (limit) =>
      liveDesiredState(origin, { planes, reader: this.#reader }, limit),
    );
    if (live.outcome === "unknown") return reconciled;
    if (live.outcome === "orphaned") return this.#removeOrphans(others, live.triggerUid, signal);
    const obsolete = others.filter((key) => live.outcome === "nothing" || !isSame(key, live.key));
    for (const key of obsolete) {
      await this.#breaker.call(key.plane, signal, (limit) => this.#writer.remove(key, limit));
    }
    return obsolete.length === others.length ? reconciled : requeueAfter(disagreementMs);
  }

  /**
   * Without a policy the objects are not watched, and an object may own only grants in its namespace and control plane. For
   * the others, the object is looked up from time to time.
   */
  async #removeOrphans(
    grants: readonly PlaneObjectKey[],
    triggerUid: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    for (const key of grants.filter((grant) => this.#writer.triggerUid(grant) !== triggerUid)) {
      await this.#breaker.call(key.plane, signal, (limit) => this.#writer.remove(key, limit));
    }
    return requeueAfter(orphansMs);
  }
}

function isSame(left: PlaneObjectKey, right: PlaneObjectKey | undefined): boolean {
  return left.plane === right?.plane && left.namespace === right.namespace && left.name === right.name;
}

function textOf({ kind, plane, namespace, name }: GrantOrigin): string {
  const path = namespace === "" ? name : `${namespace}/${name}`;
  return `${groupKindText(kind)} "${path}"${plane === "" ? "" : ` in control plane "${plane}"`}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
