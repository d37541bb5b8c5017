import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import { type ClaimCreationPolicy, claimCreationPolicyDefinition } from "../../core/resources/claim-creation-policy.ts";
import type { QuotaOptions } from "../../core/resources/quota-options.ts";
import type { ClaimPolicyCache } from "../../views/claim-policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { enforcedConditions, readyCondition } from "./policy-conditions.ts";
import { PolicyStatusWriter } from "./policy-status-writer.ts";

export interface ClaimPolicyReadinessOptions extends Pick<QuotaOptions, "enforcement"> {
  readonly runtime: Runtime;
  readonly policies: ClaimPolicyCache;
  readonly restMapper: Pick<RestMapper, "resourceFor">;
}

/** Writes the conditions of claim policies. */
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
