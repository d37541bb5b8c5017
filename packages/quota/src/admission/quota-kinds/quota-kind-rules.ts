import type { FieldIssue, Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { compileClaimPolicy } from "../../core/policy/claim-policy.ts";
import { compileGrantPolicy } from "../../core/policy/grant-policy.ts";
import { claimPolicyRules, grantPolicyRules } from "../../core/policy/policy-rules.ts";
import { parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import { parseResourceClaim } from "../../core/resources/resource-claim.ts";
import { parseResourceGrant } from "../../core/resources/resource-grant.ts";
import { parseResourceRegistration } from "../../core/resources/resource-registration.ts";
import { claimFaults } from "../../core/resources/rules/claim-faults.ts";
import { claimIssues, grantIssues } from "../../core/resources/rules/object-rules.ts";
import { type RegistrationView, registrationIssues } from "../../core/resources/rules/registration-rules.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";

/** The issues of an object of the quota API. */
export interface QuotaKindIssues {
  /** In the object itself. */
  readonly inObject: readonly FieldIssue[];
  /** In the objects it refers to, which may be fixed or created later. */
  readonly inReferences: readonly FieldIssue[];
}

export interface RuleContext {
  readonly plane: string;
  readonly planes: ControlPlanes;
  readonly registrations: RegistrationView;
}

type Rule = (object: JsonObject, old: JsonObject | undefined, context: RuleContext) => QuotaKindIssues;

/** The rules that a schema cannot express, by kind. */
export const quotaKindRules: Readonly<Record<string, Rule>> = {
  ResourceRegistration: ruleFor(parseResourceRegistration, {
    inReferences: (registration, { registrations }) => registrationIssues(registration, registrations),
  }),
  ResourceGrant: ruleFor(parseResourceGrant, {
    inReferences: (grant, { registrations }) => grantIssues(grant, registrations),
  }),
  ResourceClaim: ruleFor(parseResourceClaim, {
    inObject: claimFaults,
    inReferences: (claim, { registrations }) => claimIssues(claim, registrations),
  }),
  ClaimCreationPolicy: ruleFor(parseClaimCreationPolicy, {
    inObject: (policy) => compileIssues(compileClaimPolicy(policy)),
    inReferences: (policy, { plane, planes, registrations }) =>
      claimPolicyRules((at, of) => planes.tenantKinds(at, of), registrations).issues(policy, plane),
  }),
  GrantCreationPolicy: ruleFor(parseGrantCreationPolicy, {
    inObject: (policy) => compileIssues(compileGrantPolicy(policy)),
    inReferences: (policy, { plane, planes, registrations }) =>
      grantPolicyRules(planes.root, registrations).issues(policy, plane),
  }),
};

interface Checks<Value> {
  readonly inObject?: (value: Value) => readonly FieldIssue[];
  readonly inReferences: (value: Value, context: RuleContext) => readonly FieldIssue[];
}

function ruleFor<Value>(parse: (value: unknown, old?: unknown) => Parsed<Value>, checks: Checks<Value>): Rule {
  return (object, old, context) => {
    const parsed = parse(object, old);
    if (!parsed.ok) return { inObject: parsed.issues, inReferences: [] };
    return {
      inObject: checks.inObject?.(parsed.value) ?? [],
      inReferences: checks.inReferences(parsed.value, context),
    };
  };
}

function compileIssues(
  compiled: { readonly ok: true } | { readonly ok: false; readonly issues: readonly FieldIssue[] },
): readonly FieldIssue[] {
  return compiled.ok ? [] : compiled.issues;
}
