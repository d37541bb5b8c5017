import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { Authorizer, Decision, RequestAttributes } from "../authorizer.ts";
import type { PlanePolicy } from "./plane-policy.ts";
import { type PolicyRule, ruleAllows } from "./policy-rule.ts";
import { rbacGroup } from "./rbac-objects.ts";
import { bindingText, type RoleRef } from "./role-binding.ts";
import type { PolicyIndex } from "./rules-by-subject.ts";

/** Allows what roles allow. The reason of a denial names roles that bindings refer to but that do not exist. */
export function rbacAuthorizer(policies: PolicyIndex): Authorizer {
  return { authorize: async (attributes) => decide(policies.of(attributes.plane), attributes) };
}

function decide(policy: PlanePolicy, asked: RequestAttributes): Decision {
  const missing: string[] = [];
  for (const { binding, rules } of policy.grantsFor(asked.user, asked.namespace)) {
    if (rules === undefined) missing.push(missingRoleText(binding.roleRef));
    else if (rules.some((rule) => ruleAllows(rule, asked))) {
      return { outcome: "allow", reason: `RBAC: allowed by ${bindingText(binding, asked.user)}` };
    }
  }
  return { outcome: "none", reason: missing.length === 0 ? "" : `RBAC: ${aggregateText(missing)}` };
}

/** All permissions of a user in a namespace, and the roles of its bindings that do not exist. */
export interface RulesOfUser {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly RoleRef[];
}

export function rulesOfUser(policy: PlanePolicy, user: UserInfo, namespace: string): RulesOfUser {
  const rules: PolicyRule[] = [];
  const missing: RoleRef[] = [];
  for (const grant of policy.grantsFor(user, namespace)) {
    if (grant.rules === undefined) missing.push(grant.binding.roleRef);
    else rules.push(...grant.rules);
  }
  return { rules, missing };
}

/** Kubernetes uses the singular of the resource here, and the request's resource where it checks a write. */
export function missingRoleText({ kind, name }: RoleRef, resource = kind.toLowerCase()): string {
  if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${quote(kind)}`;
  return `${resource}.${rbacGroup} ${quote(name)} not found`;
}

/** One error as it is; several without duplicates, in brackets. */
export function aggregateText(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}
