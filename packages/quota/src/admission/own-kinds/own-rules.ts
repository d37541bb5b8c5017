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

/** What is wrong with an object of ours. */
export interface OwnIssues {
  /** Visible in the object alone. */
  readonly faults: readonly FieldIssue[];
  /** In other objects: they may be put right, or come later. */
  readonly elsewhere: readonly FieldIssue[];
}

export interface OwnContext {
  readonly plane: string;
  readonly planes: ControlPlanes;
  readonly registrations: RegistrationView;
}

type Rule = (object: JsonObject, old: JsonObject | undefined, context: OwnContext) => OwnIssues;

/** What a schema cannot say, by kind. Kinds that are not named here have no rules of their own. */
export const ownRules: Readonly<Record<string, Rule>> = {
  ResourceRegistration: ruleFor(parseResourceRegistration, {
    elsewhere: (registration, { registrations }) => registrationIssues(registration, registrations),
  }),
  ResourceGrant: ruleFor(parseResourceGrant, {
    elsewhere: (grant, { registrations }) => grantIssues(grant, registrations),
  }),
  ResourceClaim: ruleFor(parseResourceClaim, {
    faults: claimFaults,
    elsewhere: (claim, { registrations }) => claimIssues(claim, registrations),
  }),
  ClaimCreationPolicy: ruleFor(parseClaimCreationPolicy, {
    faults: (policy) => compileFaults(compileClaimPolicy(policy)),
    elsewhere: (policy, { plane, planes, registrations }) =>
      claimPolicyRules((at, of) => planes.tenantKinds(at, of), registrations).issues(policy, plane),
  }),
  GrantCreationPolicy: ruleFor(parseGrantCreationPolicy, {
    faults: (policy) => compileFaults(compileGrantPolicy(policy)),
    elsewhere: (policy, { plane, planes, registrations }) =>
      grantPolicyRules(planes.root, registrations).issues(policy, plane),
  }),
};

interface Checks<Value> {
  readonly faults?: (value: Value) => readonly FieldIssue[];
  readonly elsewhere: (value: Value, context: OwnContext) => readonly FieldIssue[];
}

function ruleFor<Value>(parse: (value: unknown, old?: unknown) => Parsed<Value>, checks: Checks<Value>): Rule {
  return (object, old, context) => {
    const parsed = parse(object, old);
    if (!parsed.ok) return { faults: parsed.issues, elsewhere: [] };
    return { faults: checks.faults?.(parsed.value) ?? [], elsewhere: checks.elsewhere(parsed.value, context) };
  };
}

function compileFaults(
  compiled: { readonly ok: true } | { readonly ok: false; readonly issues: readonly FieldIssue[] },
): readonly FieldIssue[] {
  return compiled.ok ? [] : compiled.issues;
}
