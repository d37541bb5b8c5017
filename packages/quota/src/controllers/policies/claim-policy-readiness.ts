import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import { type ClaimCreationPolicy, claimCreationPolicyDefinition } from "../../core/resources/claim-creation-policy.ts";
import type { QuotaOptions } from "../../core/resources/quota-options.ts";
import type { ClaimPolicyIndex } from "../../views/claim-policy-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { enforcedConditions, readyCondition } from "./policy-conditions.ts";
import { PolicyStatusWriter } from "./policy-status-writer.ts";

export interface ClaimPolicyReadinessOptions extends Pick<QuotaOptions, "enforcement"> {
  readonly runtime: Runtime;
  readonly index: ClaimPolicyIndex;
  readonly directory: Pick<KindDirectory, "find">;
}

/** Tells of each claim policy whether it is at work. */
export class ClaimPolicyReadiness implements Running {
  readonly #writer: PolicyStatusWriter<ClaimCreationPolicy, CompiledClaimPolicy>;

  constructor(options: ClaimPolicyReadinessOptions) {
    this.#writer = new PolicyStatusWriter({
      ...options,
      type: claimCreationPolicyDefinition,
      conditions: ({ verdict, kind, policy }, triggerKind) => [
        readyCondition(verdict, kind, triggerKind),
        ...enforcedConditions(options.enforcement, policy.status.conditions ?? []),
      ],
    });
  }

  stop(): Promise<void> {
    return this.#writer.stop();
  }
}
