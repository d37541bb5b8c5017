import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type ConditionState, findCondition, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { grantAmounts } from "../core/ledger/grant-amounts.ts";
import { reportedConditions } from "../core/resources/fields/conditions.ts";
import { type ResourceGrant, resourceGrantDefinition } from "../core/resources/resource-grant.ts";
import { type GrantActivity, grantActivity } from "../core/resources/rules/grant-activity.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import { grantsType } from "../views/quota-types.ts";
import type { RegistrationIndex } from "../views/registration-index.ts";
import type { Running, Runtime } from "../views/runtime.ts";
import type { Views } from "../views/views.ts";
import { grantCondition, hasPendingRegistration } from "./grant-condition.ts";
import { shouldReport } from "./status/conflicts.ts";
import { withTimeout } from "./with-timeout.ts";

/** Expiry is checked at least this often: timers have a maximum, and the system clock may be adjusted. */
const requeueMsMax = 300_000;

type GrantViews = Pick<Views, "registrations" | "registrationIndex" | "grants">;

/** Writes the Active condition of grants. The bucket writer applies the same rule itself, and does not read the condition. */
export class GrantController implements Running {
  readonly #runtime: Runtime;
  readonly #views: GrantViews;
  readonly #events: Pick<EventRecorder, "record"> | undefined;
  readonly #index: RegistrationIndex;
  readonly #queue: WorkQueue<PlaneObjectKey>;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(runtime: Runtime, views: GrantViews, events?: Pick<EventRecorder, "record">) {
    this.#runtime = runtime;
    this.#views = views;
    this.#events = events;
    this.#queue = new WorkQueue({
      reconcile: (key, signal) => this.#reconcile(key, signal),
      idOf: ({ plane, namespace, name }) => `${plane}/${namespace}/${name}`,
      laneOf: ({ plane }) => plane,
      observer: runtime.queueObservers?.("grants"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, { plane, namespace, name }, failures) => {
        if (shouldReport(error, failures)) runtime.report(`grant ${plane}/${namespace}/${name}`, error);
      },
    });
    this.#index = views.registrationIndex;
    const enqueue = (key: PlaneObjectKey): void => this.#queue.add(key);
    this.#unsubscribe = [
      views.grants.subscribe({ onAdd: enqueue, onUpdate: enqueue }),
      this.#index.onChange((resourceType) => this.#enqueueAll((grant) => isFor(grant, resourceType))),
    ];
    void views.registrations.synced.then(() => this.#enqueueAll(() => true));
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
  }

  #enqueueAll(isAffected: (grant: ResourceGrant) => boolean): void {
    for (const [key, grant] of this.#views.grants.entries()) if (isAffected(grant)) this.#queue.add(key);
  }

  async #reconcile(key: PlaneObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { planes, clock } = this.#runtime;
    const grant = this.#views.grants.get(key);
    if (grant === undefined) return reconciled;
    const nowMs = clock.now();
    const activity = grantActivity(grant, this.#index, nowMs);
    const condition = this.#condition(grant, activity);
    const client = planes.client(key.plane).resource(grantsType, anyObject);
    const change = { before: grant.status, after: this.#status(grant, condition) };
    const written = await withTimeout(clock, signal, (limit) => writeStatus(client, subjectOf(grant), change, limit));
    if (written !== undefined) this.#recordEvent(key, grant, condition);
    return nextReconcile(activity, nowMs);
  }

  /** A grant is pending, not invalid, until its registrations are cached and reconciled. */
  #condition(grant: ResourceGrant, activity: GrantActivity): ConditionState {
    const { hasSynced } = this.#views.registrations;
    const isTooEarly = activity.state === "invalid" && (!hasSynced || hasPendingRegistration(grant, this.#index));
    return grantCondition(isTooEarly ? { state: "pending" } : activity, grant.expiresAt);
  }

  #status(grant: ResourceGrant, condition: ConditionState): object {
    const { status, metadata } = grant;
    const { generation = 0 } = metadata;
    const state = { ...condition, observedGeneration: generation };
    return {
      ...status,
      observedGeneration: generation,
      amounts: grantAmounts(grant, this.#index),
      conditions: setCondition(reportedConditions(status.conditions), state, formatTime(this.#runtime.clock.now())),
    };
  }

  /** Only for transitions, and not for pending grants. */
  #recordEvent(
    { plane, namespace }: PlaneObjectKey,
    grant: ResourceGrant,
    { status, reason, message }: ConditionState,
  ): void {
    const before = findCondition(grant.status.conditions, "Active");
    if (status === "Unknown" || (before?.status === status && before.reason === reason)) return;
    const { apiVersion, kind, metadata } = subjectOf(grant);
    const { name = "", uid = "", resourceVersion = "" } = metadata;
    const type = reason === "ValidationFailed" ? "Warning" : "Normal";
    const subject = { apiVersion, kind, namespace, name, uid, resourceVersion };
    this.#events?.record(plane, subject, { type, reason, message });
  }
}

function isFor(grant: ResourceGrant, resourceType: string): boolean {
  return grant.allowances.some((allowance) => allowance.resourceType === resourceType);
}

function nextReconcile(activity: GrantActivity, nowMs: number): ReconcileResult {
  if (activity.state === "expired") return requeueAfter(requeueMsMax);
  if (activity.state !== "active" || activity.untilMs === undefined) return reconciled;
  return requeueAfter(Math.min(activity.untilMs - nowMs, requeueMsMax));
}

function subjectOf({ metadata }: ResourceGrant) {
  return { apiVersion: quotaApiVersion, kind: resourceGrantDefinition.kind, metadata };
}
