import {
  failure,
  resourceForbidden,
  resourceNotFound,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  ownValue,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Authorizer, type RequestAttributes, resourceAttributes } from "../authorizer.ts";
import { mastersGroup } from "../well-known-users.ts";
import type { PlanePolicy } from "./plane-policy.ts";
import { noRule, type PolicyRule, parseRules, quotedList, ruleText } from "./policy-rule.ts";
import { aggregateText, missingRoleText, rulesOfUser } from "./rbac-authorizer.ts";
import { type RbacResource, rbacGroup } from "./rbac-objects.ts";
import { parseRoleRef, type RoleRef } from "./role-binding.ts";
import { compactRules, permissionCount, permissionsMax, uncoveredPermissions } from "./rule-coverage.ts";
import type { PolicyIndex } from "./rules-by-subject.ts";

/** A write of a role or binding, after mutating admission. */
export interface RbacWrite {
  /** Attributes of the request; `name` is empty for a create. */
  readonly request: RequestAttributes;
  readonly object: JsonObject;
  /** Undefined for a create. */
  readonly old: JsonObject | undefined;
}

export interface EscalationDeps {
  readonly policies: PolicyIndex;
  readonly authorizer: Authorizer;
}

const checks: Readonly<Record<RbacResource, Check>> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

type Check = (write: RbacWrite, deps: EscalationDeps, signal: AbortSignal) => Promise<void>;

/**
 * A user cannot grant permissions that the user does not have, without the verb `escalate` on roles or `bind` on that
 * role. Rejects with a StatusError; resolves for other kinds.
 */
export async function confirmNoEscalation(write: RbacWrite, deps: EscalationDeps, signal: AbortSignal): Promise<void> {
  const { group, resource, user } = write.request;
  if (group !== rbacGroup || !Object.hasOwn(checks, resource)) return;
  if (user.groups.includes(mastersGroup) || changesBookkeepingOnly(write)) return;
  await checks[resource as RbacResource](write, deps, signal);
}

async function checkRole(write: RbacWrite, { policies, authorizer }: EscalationDeps, signal: AbortSignal) {
  const { user, plane, resource, namespace, name } = write.request;
  const asked = resourceAttributes(user, { verb: "escalate", plane, group: rbacGroup, resource, namespace, name });
  if ((await authorizer.authorize(asked, signal)).outcome === "allow") return;
  const policy = policies.of(plane);
  rejectMissing(write, policy, parseRules(write.object));
  const aggregates = hasAggregation(write.object) || (write.old !== undefined && hasAggregation(write.old));
  // An aggregation collects any labelled role, so requesting one takes all permissions.
  if (aggregates && missingPermissions(write, policy, everything) !== undefined) {
    throw forbidden(write, "must have cluster-admin privileges to use the aggregationRule");
  }
}

async function checkBinding(write: RbacWrite, { policies, authorizer }: EscalationDeps, signal: AbortSignal) {
  const { user, plane, namespace } = write.request;
  const roleRef = parseRoleRef(write.object);
  if (roleRef.kind === "Role" || roleRef.kind === "ClusterRole") {
    const resource = roleResource(roleRef);
    const asked = { verb: "bind", plane, group: roleRef.apiGroup, resource, namespace, name: roleRef.name };
    if ((await authorizer.authorize(resourceAttributes(user, asked), signal)).outcome === "allow") return;
  }
  const policy = policies.of(plane);
  const rules = policy.rulesOf(roleRef, namespace);
  if (rules === undefined) throw missingRole(write, roleRef);
  rejectMissing(write, policy, rules);
}

const everything: readonly PolicyRule[] = [
  { ...noRule, verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { ...noRule, verbs: ["*"], nonResourceURLs: ["*"] },
];

function rejectMissing(write: RbacWrite, policy: PlanePolicy, wanted: readonly PolicyRule[]): void {
  const missing = missingPermissions(write, policy, wanted);
  if (missing !== undefined) throw forbidden(write, missing);
}

/** Kubernetes' message about missing permissions; undefined when none are missing. */
function missingPermissions(
  { request }: RbacWrite,
  policy: PlanePolicy,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { user, namespace } = request;
  if (permissionCount(wanted) > permissionsMax) return `a role may list at most ${permissionsMax} permissions`;
  const { rules, missing } = rulesOfUser(policy, user, namespace);
  const lacking = uncoveredPermissions(rules, wanted);
  if (lacking.length === 0) return undefined;
  const problems = missing.map((role) => missingRoleText(role, request.resource));
  const descriptions = [...new Set(compactRules(lacking).map(ruleText))].sort();
  const who = `user ${quote(user.username)} (groups=${quotedList(user.groups)})`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:\n${descriptions.join("\n")}`;
  return problems.length === 0 ? message : `${message}; resolution errors: [${aggregateText(problems)}]`;
}

function forbidden({ request, object }: RbacWrite, because: string): StatusError {
  const metadata = ownValue(object, "metadata");
  const name = isJsonObject(metadata) ? ownValue(metadata, "name") : undefined;
  const resource = { group: rbacGroup, resource: request.resource };
  return new StatusError(resourceForbidden(resource, typeof name === "string" ? name : "", because));
}

/** Kubernetes looks the role up as part of the request, and names the request's resource when it is not found. */
function missingRole({ request }: RbacWrite, roleRef: RoleRef): StatusError {
  if (roleRef.kind === "Role" || roleRef.kind === "ClusterRole") {
    return new StatusError(resourceNotFound({ group: rbacGroup, resource: request.resource }, roleRef.name));
  }
  return new StatusError(failure("InternalError", missingRoleText(roleRef)));
}

function roleResource({ kind }: RoleRef): string {
  return kind === "Role" ? "roles" : "clusterroles";
}

function hasAggregation(role: JsonObject): boolean {
  const rule = ownValue(role, "aggregationRule");
  const selectors = isJsonObject(rule) ? ownValue(rule, "clusterRoleSelectors") : undefined;
  return Array.isArray(selectors) && selectors.length > 0;
}

/** The garbage collector removes owner references and finalizers from roles whose permissions it does not have. */
function changesBookkeepingOnly({ object, old }: RbacWrite): boolean {
  return old !== undefined && jsonEquals(withoutBookkeeping(object), withoutBookkeeping(old));
}

const bookkeeping: ReadonlySet<string> = new Set(["ownerReferences", "finalizers", "managedFields"]);

function withoutBookkeeping(object: JsonObject): JsonValue {
  const metadata = ownValue(object, "metadata");
  if (!isJsonObject(metadata)) return object;
  const kept = Object.entries(metadata).filter(([key]) => !bookkeeping.has(key));
  return { ...object, metadata: Object.fromEntries(kept) };
}
