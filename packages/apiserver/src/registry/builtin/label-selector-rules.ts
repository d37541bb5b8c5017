import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { labelValue, qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { issueUnless, nameRuleIssues } from "./field-checks.ts";

type Requirement = NonNullable<LabelSelector["matchExpressions"]>[number];

export function labelSelectorIssues(selector: LabelSelector, path: string): readonly FieldIssue[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return [
    ...labelsIssues(matchLabels, childPath(path, "matchLabels")),
    ...matchExpressions.flatMap((requirement, index) =>
      requirementIssues(requirement, itemPath(childPath(path, "matchExpressions"), index)),
    ),
  ];
}

export function labelsIssues(labels: Readonly<Record<string, string>>, path: string): readonly FieldIssue[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...nameRuleIssues(path, key, qualifiedName),
    ...nameRuleIssues(path, value, labelValue),
  ]);
}

function requirementIssues({ key, operator, values = [] }: Requirement, path: string): readonly FieldIssue[] {
  return [
    ...operatorIssues(operator, values, path),
    ...nameRuleIssues(childPath(path, "key"), key, qualifiedName),
    ...values.flatMap((value, index) => nameRuleIssues(itemPath(childPath(path, "values"), index), value, labelValue)),
  ];
}

function operatorIssues(operator: string, values: readonly string[], path: string): readonly FieldIssue[] {
  const at = childPath(path, "values");
  switch (operator) {
    case "In":
    case "NotIn":
      return issueUnless(values.length > 0, () => required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
    case "Exists":
    case "DoesNotExist":
      return issueUnless(values.length === 0, () =>
        forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    default:
      return [invalid(childPath(path, "operator"), operator, "not a valid selector operator")];
  }
}
