import { type FieldIssue, invalid, notSupported, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { matchesLabels, parseLabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { WrittenSubresource } from "../../kinds/served-kind.ts";
import { immutable, issueUnless } from "../field-checks.ts";
import { labelSelectorIssues } from "../label-selector-rules.ts";
import type { Deployment } from "./pods/pod-object.ts";
import { podTemplateIssues } from "./pods/pod-template-rules.ts";

type Spec = Deployment["spec"];

const strategies = ["Recreate", "RollingUpdate"];

export function deploymentIssues(
  { spec }: Deployment,
  old: Deployment | undefined,
  part: WrittenSubresource,
): readonly FieldIssue[] {
  if (part === "status") return [];
  const { replicas = 1, minReadySeconds = 0, revisionHistoryLimit = 0, strategy } = spec;
  return [
    ...nonNegative("spec.replicas", replicas),
    ...selectorIssues(spec),
    ...templateIssues(spec),
    ...issueUnless(strategies.includes(strategy.type ?? ""), () =>
      notSupported("spec.strategy", strategy.type ?? "", strategies),
    ),
    ...nonNegative("spec.minReadySeconds", minReadySeconds),
    ...nonNegative("spec.revisionHistoryLimit", revisionHistoryLimit),
    ...(old === undefined ? [] : immutable("spec.selector", spec.selector, old.spec.selector)),
  ];
}

function selectorIssues({ selector }: Spec): readonly FieldIssue[] {
  const path = "spec.selector";
  if (selector === null || selector === undefined) return [required(path)];
  const parsed = parseLabelSelector(selector, path);
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  return [
    ...labelSelectorIssues(selector, path),
    ...(isEmpty ? [invalid(path, selector, "empty selector is invalid for deployment")] : []),
    ...(parsed.ok ? [] : [invalid(path, selector, "invalid label selector")]),
  ];
}

function templateIssues({ selector, template }: Spec): readonly FieldIssue[] {
  const path = "spec.template";
  const parsed = parseLabelSelector(selector ?? {}, "");
  if (!parsed.ok) return [];
  const labels = template.metadata?.labels;
  const isPresent = selector !== null && selector !== undefined;
  const { restartPolicy = "Always" } = template.spec;
  return [
    ...issueUnless(isPresent && matchesLabels(parsed.value, labels ?? {}), () =>
      invalid(`${path}.metadata.labels`, labels ?? null, "`selector` does not match template `labels`"),
    ),
    ...podTemplateIssues(template, path),
    ...issueUnless(restartPolicy === "Always", () =>
      notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"]),
    ),
  ];
}

function nonNegative(path: string, value: number): readonly FieldIssue[] {
  return issueUnless(value >= 0, () => invalid(path, value, "must be greater than or equal to 0"));
}
