import { type FieldIssue, invalid, itemPath, required } from "../../../../protocol/field-issue.ts";
import type { ObjectMeta } from "../../../../protocol/object-meta.ts";
import type { WrittenPart } from "../../served-kind.ts";
import { immutableFault, unless } from "../field-checks.ts";
import { amountIssues, isQuotaResource, quotaResourceIssues, type ResourceList } from "../resource-names.ts";

interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface ResourceQuota {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly hard?: ResourceList;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
  };
  readonly status: { readonly hard?: ResourceList; readonly used?: ResourceList };
}

const podCompute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const ofPods = ["pods", ...podCompute];

/** The resources that each scope can be applied to. */
const scopeResources: Readonly<Record<string, readonly string[]>> = {
  Terminating: ofPods,
  NotTerminating: ofPods,
  BestEffort: ["pods"],
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const presenceScopes = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const clashing = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export function resourceQuotaIssues(
  { spec, status }: ResourceQuota,
  old: ResourceQuota | undefined,
  part: WrittenPart,
): readonly FieldIssue[] {
  if (part === "status") return [...listIssues(status.hard, "status.hard"), ...listIssues(status.used, "status.used")];
  return [
    ...listIssues(spec.hard, "spec.hard"),
    ...scopesIssues(spec),
    ...selectorIssues(spec),
    ...(old === undefined ? [] : scopeChangeIssues(spec, old.spec)),
  ];
}

function listIssues(list: ResourceList = {}, path: string): readonly FieldIssue[] {
  return Object.entries(list).flatMap(([name, amount]) => {
    const at = itemPath(path, name);
    return [...quotaResourceIssues(name, at), ...amountIssues(name, amount, at)];
  });
}

type Spec = ResourceQuota["spec"];

function scopesIssues({ hard = {}, scopes = [] }: Spec): readonly FieldIssue[] {
  const path = "spec.scopes";
  return [
    ...scopes.flatMap((scope) => [
      ...unless(isKnown(scope), () => invalid(path, scopes, "unsupported scope")),
      ...unfit(scope, hard).map(() => invalid(path, scopes, "unsupported scope applied to resource")),
    ]),
    ...clashes(scopes).map(() => invalid(path, scopes, "conflicting scopes")),
  ];
}

function selectorIssues({ hard = {}, scopeSelector, scopes }: Spec): readonly FieldIssue[] {
  const { matchExpressions = [] } = scopeSelector ?? {};
  const path = "spec.scopeSelector.matchExpressions";
  return [
    ...matchExpressions.flatMap((requirement) => [
      ...unless(isKnown(requirement.scopeName), () =>
        invalid(`${path}.scopeName`, requirement.scopeName, "unsupported scope"),
      ),
      ...unfit(requirement.scopeName, hard).map(() =>
        invalid(path, scopeSelector, "unsupported scope applied to resource"),
      ),
      ...operatorIssues(requirement, path),
    ]),
    ...clashes(matchExpressions.map(({ scopeName }) => scopeName)).map(() =>
      invalid(path, scopes ?? null, "conflicting scopes"),
    ),
  ];
}

function operatorIssues({ scopeName, operator, values = [] }: ScopeRequirement, path: string): readonly FieldIssue[] {
  const onlyExists =
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
  return [
    ...unless(operator === "Exists" || !presenceScopes.includes(scopeName), () =>
      invalid(`${path}.operator`, operator, onlyExists),
    ),
    ...valuesIssues(operator, values, path),
  ];
}

function valuesIssues(operator: string, values: readonly string[], path: string): readonly FieldIssue[] {
  const at = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return unless(values.length > 0, () =>
        required(at, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      );
    case "Exists":
    case "DoesNotExist":
      return unless(values.length === 0, () =>
        invalid(at, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
      );
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function scopeChangeIssues({ scopes = [] }: Spec, old: Spec): readonly FieldIssue[] {
  const before = new Set(old.scopes ?? []);
  const after = new Set(scopes);
  const isSame = before.size === after.size && [...after].every((scope) => before.has(scope));
  return unless(isSame, () => invalid("spec.scopes", scopes, immutableFault));
}

function isKnown(scope: string): boolean {
  return Object.hasOwn(scopeResources, scope);
}

/** The standard resources of a quota that a scope has no meaning for. */
function unfit(scope: string, hard: ResourceList): readonly string[] {
  if (!isKnown(scope)) return [];
  return Object.keys(hard).filter((name) => isQuotaResource(name) && !scopeResources[scope]?.includes(name));
}

function clashes(scopes: readonly string[]): readonly unknown[] {
  return clashing.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}
