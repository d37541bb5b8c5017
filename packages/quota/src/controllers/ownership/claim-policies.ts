import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import type { ReadyPolicy } from "../../core/policy/policy-index.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";

export type GoverningPolicy = ReadyPolicy<ClaimCreationPolicy, CompiledClaimPolicy>;

/** The claim policies at work. */
export interface ClaimPolicies {
  policiesFor(kind: GroupKind, plane: string): readonly GoverningPolicy[];
  kinds(): readonly GroupKind[];
  get(place: PolicyPlace): PolicyState | undefined;
  entries(): Iterable<PolicyState>;
  /** Calls for every policy that comes, changes or goes, if only in its status, until the returned function is called. */
  onChange(listener: (place: PolicyPlace) => void): () => void;
}

/** A policy, at work or not. */
export interface PolicyState {
  readonly plane: string;
  readonly policy: ClaimCreationPolicy;
  readonly kind: GroupKind;
  readonly verdict: { readonly state: string };
  readonly readySince: string | undefined;
}
