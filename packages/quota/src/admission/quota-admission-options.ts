import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { QuotaOptions } from "../core/resources/quota-options.ts";
import type { RegistrationView } from "../core/resources/rules/registration-rules.ts";
import type { ClaimPolicyCache } from "../views/claim-policy-cache.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import type { AdmissionObserver } from "./admission-observer.ts";
import type { UsageView } from "./answers/usage-view.ts";
import type { ClaimStreams } from "./claims/claim-streams.ts";
import type { ClaimTransactions } from "./claims/claim-transactions.ts";
import type { NewConsumers } from "./new-consumers.ts";

export interface QuotaAdmissionOptions extends QuotaOptions {
  readonly planes: ControlPlanes;
  readonly policies: Pick<ClaimPolicyCache, "isReady" | "policiesFor" | "disabledFor">;
  readonly registrations: RegistrationView;
  readonly streams: ClaimStreams;
  readonly clock: Clock;
  /** Time limit of a decision. Must be shorter than the timeout of the API server that calls admission. */
  readonly waitMsMax: number;
  /** Given when the bucket writer runs in this process. */
  readonly usage?: UsageView;
  /** Given when this process serves the consumers. */
  readonly newConsumers?: NewConsumers;
  /** Records an event for each request that a policy in Shadow mode would have rejected. */
  readonly events?: Pick<EventRecorder, "record">;
  /** Given when the API server runs in this process: stores claims in one transaction with their object. */
  readonly transactions?: ClaimTransactions;
  readonly newUid?: () => string;
  readonly observer: AdmissionObserver;
  readonly report: (where: string, error: unknown) => void;
}
