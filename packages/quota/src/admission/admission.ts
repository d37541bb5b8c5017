import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { EventRecorder, eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import { PolicyViews } from "../views/policy-views.ts";
import type { AdmissionListener } from "./admission-listener.ts";
import { type UsageView, unknownUsage } from "./answers/usage-view.ts";
import { ClaimStreams, type StreamsHealth } from "./claims/claim-streams.ts";
import type { ClaimTransactions } from "./claims/claim-transactions.ts";
import type { StreamsListener } from "./claims/stream-listener.ts";
import { frontDoor } from "./front-door.ts";
import type { Newcomers } from "./newcomers.ts";
import type { Decide, DecideRemoval } from "./object-change.ts";
import { isNamespaceGoing } from "./own-kinds/namespace-going.ts";
import { OwnKinds } from "./own-kinds/own-kinds.ts";
import { readRegistrations } from "./policies/live-registrations.ts";
import { QuotaAdmission } from "./quota-admission.ts";

export interface AdmissionOptions {
  readonly planes: ControlPlanes;
  /** Those of the process, where controllers use them as well. They start and stop with admission. */
  readonly views?: PolicyViews;
  readonly clock: Clock;
  readonly random: Random & { uuid(): string };
  readonly report: (where: string, error: unknown) => void;
  readonly quota?: QuotaOptions;
  readonly waitMsMax?: number;
  /** The users that controllers and admission write as; others may not write what is theirs. */
  readonly systemUsers?: readonly string[];
  /** Whether a request comes from the bucket writer of this process, where there can be no other. */
  readonly isBucketWriter?: (user: UserInfo) => boolean;
  readonly usage?: UsageView;
  readonly newcomers?: Newcomers;
  /** Where the server is in this process: quota that is stored in one transaction with objects. */
  readonly transactions?: ClaimTransactions;
  /** Which of several this is, to those who read its events. */
  readonly instance?: string;
  /** Those who count. */
  readonly told?: AdmissionListener;
  readonly toldStreams?: StreamsListener;
}

export interface AdmissionHealth extends StreamsHealth {
  readonly activePolicies: number;
}

/** Who the system is to a server, unless it is told otherwise. */
export const systemUserName = "system:milo-quota";

const waitMsDefault = 8_000;

/** Everything that has a say in what is stored, to be asked in the process of the server or over HTTPS. */
export class Admission {
  readonly #views: PolicyViews;
  readonly #streams: ClaimStreams;
  readonly #quota: QuotaAdmission;
  readonly #events: EventRecorder;
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;

  constructor(options: AdmissionOptions) {
    const { planes, clock, random, report, told = {}, toldStreams = {} } = options;
    const clientOf = (plane: string): KubeClient => planes.client(plane);
    this.#streams = new ClaimStreams({ clientOf, clock, random, report, told: toldStreams });
    this.#views = options.views ?? new PolicyViews({ planes, clock, random, report });
    const { claimPolicyIndex: policies, registrationIndex: registrations } = this.#views;
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
      ...(options.newcomers === undefined ? {} : { newcomers: options.newcomers }),
      events: this.#events,
      ...(options.transactions === undefined
        ? {}
        : { transactions: options.transactions, newUid: () => random.uuid() }),
      told,
      report,
    });
    const own = new OwnKinds({
      planes,
      registrations,
      readRegistrations: (signal) => readRegistrations(planes.client(planes.root), signal),
      isNamespaceGoing: (removal, signal) => isNamespaceGoing(clientOf(removal.plane), removal.namespace, signal),
      systemUsers: options.systemUsers ?? [systemUserName],
      isBucketWriter: options.isBucketWriter,
    });
    this.decideRemoval = (removal, signal) => own.decideRemoval(removal, signal);
    this.decide = frontDoor({ own, quota: this.#quota, report });
  }

  start(): void {
    this.#views.start();
  }

  /** Whether all policies are known; until then nothing is let in. */
  get isReady(): boolean {
    return this.#views.claimPolicyIndex.isReady;
  }

  get ready(): Promise<unknown> {
    return this.#views.claimPolicyIndex.ready;
  }

  /** How the streams of claims are, and how many policies are at work, for those who look from outside. */
  get health(): AdmissionHealth {
    return { ...this.#streams.health, activePolicies: this.#views.claimPolicyIndex.readyCount };
  }

  /** Finishes taking back what was claimed in vain. */
  finish(): Promise<void> {
    return this.#quota.stop();
  }

  async stop(): Promise<void> {
    await this.finish();
    await this.#events.stop();
    await Promise.all([this.#streams.stop(), this.#views.stop()]);
  }
}
