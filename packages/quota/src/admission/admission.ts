import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { EventRecorder, eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import { PolicyViews } from "../views/policy-views.ts";
import { TriggerSchemas } from "../views/trigger-schemas.ts";
import type { AdmissionObserver } from "./admission-observer.ts";
import { routeAdmission } from "./admission-router.ts";
import { type UsageView, unknownUsage } from "./answers/usage-view.ts";
import { ClaimStreams, type StreamsHealth } from "./claims/claim-streams.ts";
import type { ClaimTransactions } from "./claims/claim-transactions.ts";
import type { StreamsObserver } from "./claims/stream-observer.ts";
import type { NewConsumers } from "./new-consumers.ts";
import type { Decide, DecideRemoval } from "./object-change.ts";
import { readRegistrations } from "./policies/live-registrations.ts";
import { QuotaAdmission } from "./quota-admission.ts";
import { isNamespaceTerminating } from "./quota-kinds/namespace-terminating.ts";
import { QuotaKindAdmission } from "./quota-kinds/quota-kind-admission.ts";
import { ConsumerAccess } from "./quota-kinds/rights/consumer-access.ts";
import { ConsumerRights } from "./quota-kinds/rights/consumer-rights.ts";

export interface AdmissionOptions {
  readonly planes: ControlPlanes;
  /** Shared with the controllers of this process, if there are any. They start and stop with admission. */
  readonly views?: PolicyViews;
  readonly clock: Clock;
  readonly random: Random & { uuid(): string };
  readonly report: (where: string, error: unknown) => void;
  readonly quota?: QuotaOptions;
  readonly waitMsMax?: number;
  /** The users that controllers and admission write as. Only they may write buckets and reserved metadata. */
  readonly systemUsers?: readonly string[];
  /** Whether a request comes from the bucket writer of this process. Given when there can be no other writer. */
  readonly isBucketWriter?: (user: UserInfo) => boolean;
  readonly usage?: UsageView;
  readonly newConsumers?: NewConsumers;
  /** Given when the API server runs in this process: stores claims in one transaction with their object. */
  readonly transactions?: ClaimTransactions;
  /** Identifies this replica in the events it records. */
  readonly instance?: string;
  readonly observer?: AdmissionObserver;
  readonly streamObserver?: StreamsObserver;
}

export interface AdmissionHealth extends StreamsHealth {
  readonly activePolicies: number;
}

/** The default user name of the quota system. */
export const systemUserName = "system:milo-quota";

const waitMsDefault = 8_000;

/** All of quota's admission: called in the process of the API server, or over HTTPS by the webhook server. */
export class Admission {
  readonly #views: PolicyViews;
  readonly #streams: ClaimStreams;
  readonly #quota: QuotaAdmission;
  readonly #events: EventRecorder;
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;

  constructor(options: AdmissionOptions) {
    const { planes, clock, random, report, observer = {}, streamObserver = {} } = options;
    const clientOf = (plane: string): KubeClient => planes.client(plane);
    this.#streams = new ClaimStreams({ clientOf, clock, random, report, observer: streamObserver });
    this.#views = options.views ?? new PolicyViews({ planes, clock, random, report });
    const { claimPolicyCache: policies, registrationIndex: registrations } = this.#views;
    this.#events = new EventRecorder({
      eventsOf: (plane) => planes.client(plane).resource(eventType, anyObject),
      source: { component: "milo-quota", instance: options.instance ?? "admission" },
      clock,
      random,
      report: (error) => report("events of admission", error),
    });
    this.#quota = new QuotaAdmission({
      ...(options.quota ?? defaultQuotaOptions),
      planes,
      policies,
      registrations,
      streams: this.#streams,
      clock,
      waitMsMax: options.waitMsMax ?? waitMsDefault,
      usage: options.usage ?? unknownUsage,
      ...(options.newConsumers === undefined ? {} : { newConsumers: options.newConsumers }),
      events: this.#events,
      ...(options.transactions === undefined
        ? {}
        : { transactions: options.transactions, newUid: () => random.uuid() }),
      observer,
      report,
    });
    const quotaKinds = new QuotaKindAdmission({
      planes,
      registrations,
      readRegistrations: (signal) => readRegistrations(planes.client(planes.root), signal),
      isNamespaceTerminating: (removal, signal) =>
        isNamespaceTerminating(clientOf(removal.plane), removal.namespace, signal),
      types: { schemas: new TriggerSchemas({ planes, clock }), report },
      enforcedPolicies: () => [...policies.entries()].filter(({ policy }) => policy.status.enforced !== undefined),
      countClaims: (policy) => this.#views.claimsOfPolicy(policy),
      systemUsers: options.systemUsers ?? [systemUserName],
      consumerRights: new ConsumerRights({
        planes,
        restMapper: new RestMapper(clientOf, clock),
        access: new ConsumerAccess(clientOf, clock),
      }),
      isBucketWriter: options.isBucketWriter,
    });
    this.decideRemoval = (removal, signal) => quotaKinds.decideRemoval(removal, signal);
    this.decide = routeAdmission({ quotaKinds, quota: this.#quota, report });
  }

  start(): void {
    this.#views.start();
  }

  /** Whether all policies are loaded. Until then, admission rejects all requests. */
  get isReady(): boolean {
    return this.#views.claimPolicyCache.isReady;
  }

  get ready(): Promise<unknown> {
    return this.#views.claimPolicyCache.ready;
  }

  /** Health of the claim streams and the number of active policies, for metrics. */
  get health(): AdmissionHealth {
    return { ...this.#streams.health, activePolicies: this.#views.claimPolicyCache.decidingCount };
  }

  /** Waits until all claims of rejected requests are withdrawn. */
  finish(): Promise<void> {
    return this.#quota.stop();
  }

  async stop(): Promise<void> {
    await this.finish();
    await this.#events.stop();
    await Promise.all([this.#streams.stop(), this.#views.stop()]);
  }
}
