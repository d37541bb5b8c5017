import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import { type EnforcedGeneration, enforcedGeneration } from "../../core/policy/enforced-generation.ts";
import type { IndexedPolicy } from "../../core/policy/policy-index.ts";
import { claimPolicyTypeIssues } from "../../core/policy/trigger-type-check.ts";
import { type ClaimCreationPolicy, claimCreationPolicyDefinition } from "../../core/resources/claim-creation-policy.ts";
import type { QuotaOptions } from "../../core/resources/quota-options.ts";
import type { ClaimPolicyCache } from "../../views/claim-policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { TriggerSchemas } from "../../views/trigger-schemas.ts";
import { enforcedCondition } from "./enforced-condition.ts";
import { EnforcementEvents } from "./enforcement-events.ts";
import { readyCondition, typeCheckedCondition } from "./policy-conditions.ts";
import { PolicyStatusWriter } from "./policy-status-writer.ts";

export interface ClaimPolicyReadinessOptions extends Pick<QuotaOptions, "enforcement"> {
  readonly runtime: Runtime;
  readonly policies: ClaimPolicyCache;
  readonly restMapper: Pick<RestMapper, "resourceFor">;
  readonly events: Pick<EventRecorder, "record">;
  readonly schemas: Pick<TriggerSchemas, "of">;
}

/** Writes the status of claim policies: their conditions, and the generation that is enforced. */
export class ClaimPolicyReadiness implements Running {
  readonly #writer: PolicyStatusWriter<ClaimCreationPolicy, CompiledClaimPolicy>;
  readonly #events: EnforcementEvents;

  constructor(options: ClaimPolicyReadinessOptions) {
    const { enforcement, events, policies, runtime } = options;
    this.#events = new EnforcementEvents({ policies, events, report: runtime.report, clock: runtime.clock });
    this.#writer = new PolicyStatusWriter({
      ...options,
      type: claimCreationPolicyDefinition,
      types: { schemas: options.schemas, issuesOf: claimPolicyTypeIssues },
      conditions: (indexed, triggerKind, typeIssues) => [
        readyCondition(indexed.verdict, indexed.kind, triggerKind),
        enforcedCondition(indexed, enforcement),
        typeCheckedCondition(typeIssues),
      ],
      fields: (indexed, conditions, time) => ({ enforced: enforcedField(indexed, conditions, time) }),
      onWritten: (indexed, before, after) => this.#events.onWritten(indexed, before, after),
    });
  }

  stop(): Promise<void> {
    this.#events.stop();
    return this.#writer.stop();
  }
}

function enforcedField(
  { verdict, policy }: IndexedPolicy<ClaimCreationPolicy, CompiledClaimPolicy>,
  conditions: readonly Condition[],
  time: string,
): EnforcedGeneration | undefined {
  switch (verdict.state) {
    case "ready":
      return enforcedGeneration(policy, {
        readySince: findCondition(conditions, "Ready")?.lastTransitionTime ?? time,
        now: time,
      });
    case "invalid":
      return policy.status.enforced;
    case "disabled":
      return undefined;
    default:
      return verdict satisfies never;
  }
}
