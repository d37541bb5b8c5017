import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import type { DecidingPolicy } from "../../core/policy/policy-index.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";

export type GoverningPolicy = DecidingPolicy<ClaimCreationPolicy, CompiledClaimPolicy>;

/** The claim policies in effect. */
export interface ClaimPolicies {
  policiesFor(kind: GroupKind, plane: string): readonly GoverningPolicy[];
  kinds(): readonly GroupKind[];
  get(key: PolicyKey): PolicyState | undefined;
  entries(): Iterable<PolicyState>;
  /** Calls for every added, updated or deleted policy, also for status updates, until the returned function is called. */
  onChange(listener: (key: PolicyKey) => void): () => void;
}

/** A policy, ready or not. */
export interface PolicyState {
  readonly plane: string;
  readonly policy: ClaimCreationPolicy;
  readonly kind: GroupKind;
  readonly verdict: { readonly state: string };
  readonly enforcedSince: string | undefined;
}
