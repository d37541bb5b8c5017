import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { QuotaOptions } from "../core/resources/quota-options.ts";
import type { RegistrationView } from "../core/resources/rules/registration-rules.ts";
import type { ClaimPolicyIndex } from "../views/claim-policy-index.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import type { AdmissionListener } from "./admission-listener.ts";
import type { UsageView } from "./answers/usage-view.ts";
import type { ClaimStreams } from "./claims/claim-streams.ts";
import type { ClaimTransactions } from "./claims/claim-transactions.ts";
import type { Newcomers } from "./newcomers.ts";

export interface QuotaAdmissionOptions extends QuotaOptions {
  readonly planes: ControlPlanes;
  readonly policies: Pick<ClaimPolicyIndex, "isReady" | "policiesFor" | "disabledFor">;
  readonly registrations: RegistrationView;
  readonly streams: ClaimStreams;
  readonly clock: Clock;
  /** How long a decision may take; less than whoever asks waits. */
  readonly waitMsMax: number;
  /** Where this process knows how much is used. */
  readonly usage?: UsageView;
  /** Where this process keeps consumers, and knows of those that have just come. */
  readonly newcomers?: Newcomers;
  /** Where people see what policies that only watch would have refused. */
  readonly events?: Pick<EventRecorder, "record">;
  /** Where the server is in this process: quota that is stored in one transaction with objects. */
  readonly transactions?: ClaimTransactions;
  readonly newUid?: () => string;
  readonly told: AdmissionListener;
  readonly report: (where: string, error: unknown) => void;
}
