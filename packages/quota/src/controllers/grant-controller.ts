import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { type ConditionState, findCondition, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { grantAmounts } from "../core/ledger/grant-amounts.ts";
import { saidConditions } from "../core/resources/fields/conditions.ts";
import { type ResourceGrant, resourceGrantDefinition } from "../core/resources/resource-grant.ts";
import { type GrantActivity, grantActivity } from "../core/resources/rules/grant-activity.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import { grantsType } from "../views/quota-types.ts";
import type { RegistrationIndex } from "../views/registration-index.ts";
import type { Running, Runtime } from "../views/runtime.ts";
import type { Views } from "../views/views.ts";
import { grantCondition, unheardOf } from "./grant-condition.ts";
import { inTime } from "./in-time.ts";
import { isWorthReporting } from "./status/quiet-conflicts.ts";

/** The longest wait in one piece: timers have an end, and clocks are set, forth and back. */
const waitMsMax = 300_000;

type Seen = Pick<Views, "registrations" | "registrationIndex" | "grants">;

/** Tells of each grant whether it counts, and why not. Whoever counts goes by the same rule, not by what is said here. */
export class GrantController implements Running {
  readonly #runtime: Runtime;
  readonly #views: Seen;
  readonly #events: Pick<EventRecorder, "record"> | undefined;
  readonly #index: RegistrationIndex;
  readonly #queue: WorkQueue<ObjectPlace>;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(runtime: Runtime, views: Seen, events?: Pick<EventRecorder, "record">) {
    this.#runtime = runtime;
    this.#views = views;
    this.#events = events;
    this.#queue = new WorkQueue({
      work: (place, signal) => this.#reconcile(place, signal),
      idOf: ({ plane, namespace, name }) => `${plane}/${namespace}/${name}`,
      laneOf: ({ plane }) => plane,
      told: runtime.toldQueues?.("grants"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, { plane, namespace, name }, failures) => {
        if (isWorthReporting(error, failures)) runtime.report(`grant ${plane}/${namespace}/${name}`, error);
      },
    });
    this.#index = views.registrationIndex;
    const look = (place: ObjectPlace): void => this.#queue.add(place);
    this.#unsubscribe = [
      views.grants.subscribe({ added: look, changed: look }),
      this.#index.onChange((resourceType) => this.#look((grant) => isFor(grant, resourceType))),
    ];
    void views.registrations.ready.then(() => this.#look(() => true));
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
  }

  #look(isMeant: (grant: ResourceGrant) => boolean): void {
    for (const [place, grant] of this.#views.grants.entries()) if (isMeant(grant)) this.#queue.add(place);
  }

  async #reconcile(place: ObjectPlace, signal: AbortSignal): Promise<Outcome> {
    const { planes, clock } = this.#runtime;
    const grant = this.#views.grants.get(place);
    if (grant === undefined) return settled;
    const nowMs = clock.now();
    const activity = grantActivity(grant, this.#index, nowMs);
    const condition = this.#condition(grant, activity);
    const client = planes.client(place.plane).resource(grantsType, anyObject);
    const change = { before: grant.status, after: this.#status(grant, condition) };
    const written = await inTime(clock, signal, (limit) => writeStatus(client, subjectOf(grant), change, limit));
    if (written !== undefined) this.#tell(place, grant, condition);
    return nextLook(activity, nowMs);
  }

  /** As long as registrations are on their way, nothing can be held against a grant. */
  #condition(grant: ResourceGrant, activity: GrantActivity): ConditionState {
    const { isReady } = this.#views.registrations;
    const isEarly = activity.state === "invalid" && (!isReady || unheardOf(grant, this.#index));
    return grantCondition(isEarly ? { state: "pending" } : activity, grant.expiresAt);
  }

  #status(grant: ResourceGrant, condition: ConditionState): object {
    const { status, metadata } = grant;
    const { generation = 0 } = metadata;
    const state = { ...condition, observedGeneration: generation };
    return {
      ...status,
      observedGeneration: generation,
      amounts: grantAmounts(grant, this.#index),
      conditions: setCondition(saidConditions(status.conditions), state, timeText(this.#runtime.clock.now())),
    };
  }

  /** Only changes are events; that a grant is still being looked at is none. */
  #tell({ plane, namespace }: ObjectPlace, grant: ResourceGrant, { status, reason, message }: ConditionState): void {
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

function nextLook(activity: GrantActivity, nowMs: number): Outcome {
  if (activity.state === "expired") return again(waitMsMax);
  if (activity.state !== "active" || activity.untilMs === undefined) return settled;
  return again(Math.min(activity.untilMs - nowMs, waitMsMax));
}

function subjectOf({ metadata }: ResourceGrant) {
  return { apiVersion: quotaApiVersion, kind: resourceGrantDefinition.kind, metadata };
}
