import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { pathSegment } from "@milo-quota/kubernetes/protocol/names.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { builtinKind } from "../builtin-kind.ts";
import { plainColumns } from "../columns.ts";
import { issueUnless } from "../field-checks.ts";
import { labelSelectorIssues } from "../label-selector-rules.ts";

interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Role {
  readonly rules: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const rbacGroup = "rbac.authorization.k8s.io";

export const role = builtinKind<Role>({
  struct: "rbac.v1.Role",
  group: rbacGroup,
  plural: "roles",
  scope: "Namespaced",
  nameRule: pathSegment,
  createsOnUpdate: true,
  columns: plainColumns,
  validate: ({ rules }) => rulesIssues(rules ?? [], "Namespaced"),
});

export const clusterRole = builtinKind<Role>({
  struct: "rbac.v1.ClusterRole",
  group: rbacGroup,
  plural: "clusterroles",
  scope: "Cluster",
  nameRule: pathSegment,
  createsOnUpdate: true,
  columns: plainColumns,
  validate: (object) => [...rulesIssues(object.rules ?? [], "Cluster"), ...aggregationIssues(object)],
});

function rulesIssues(rules: readonly PolicyRule[], scope: "Namespaced" | "Cluster"): readonly FieldIssue[] {
  return rules.flatMap((rule, index) => {
    const path = itemPath("rules", index);
    const verbs = childPath(path, "verbs");
    return [
      ...issueUnless((rule.verbs ?? []).length > 0, () => required(verbs, "verbs must contain at least one value")),
      ...((rule.nonResourceURLs ?? []).length > 0 ? urlIssues(rule, path, scope) : resourceIssues(rule, path)),
    ];
  });
}

function urlIssues(rule: PolicyRule, path: string, scope: "Namespaced" | "Cluster"): readonly FieldIssue[] {
  const { nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const at = childPath(path, "nonResourceURLs");
  const isPure = apiGroups.length + resources.length + resourceNames.length === 0;
  return [
    ...issueUnless(scope === "Cluster", () =>
      invalid(at, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"),
    ),
    ...issueUnless(isPure, () =>
      invalid(at, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"),
    ),
  ];
}

function resourceIssues({ apiGroups = [], resources = [] }: PolicyRule, path: string): readonly FieldIssue[] {
  return [
    ...issueUnless(apiGroups.length > 0, () =>
      required(childPath(path, "apiGroups"), "resource rules must supply at least one api group"),
    ),
    ...issueUnless(resources.length > 0, () =>
      required(childPath(path, "resources"), "resource rules must supply at least one resource"),
    ),
  ];
}

function aggregationIssues({ aggregationRule }: Role): readonly FieldIssue[] {
  if (aggregationRule === undefined) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    return [required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  return selectors.flatMap((selector, index) => {
    const at = itemPath(path, index);
    const issues = labelSelectorIssues(selector, at);
    return issues.length === 0 ? [] : [...issues, invalid(at, null, "invalid label selector.")];
  });
}
