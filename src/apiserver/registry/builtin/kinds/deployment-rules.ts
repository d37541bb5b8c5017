import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { writeJson } from "../../../../protocol/json-writer.ts";
import { matchesLabels, parseLabelSelector } from "../../../../protocol/label-selector.ts";
import type { WrittenPart } from "../../served-kind.ts";
import { immutable, unless } from "../field-checks.ts";
import { labelSelectorIssues } from "../label-selector-rules.ts";
import type { Deployment } from "./pod-object.ts";
import { podTemplateIssues } from "./pod-template-rules.ts";

type Spec = Deployment["spec"];
type Status = Deployment["status"];

const negative = "must be greater than or equal to 0";

export function deploymentIssues(
  { spec, status }: Deployment,
  old: Deployment | undefined,
  part: WrittenPart,
): readonly FieldIssue[] {
  if (part === "status") return statusIssues(status, old?.status ?? {});
  return [
    ...specIssues(spec),
    ...(old === undefined ? [] : immutable("spec.selector", spec.selector, old.spec.selector)),
  ];
}

function specIssues(spec: Spec): readonly FieldIssue[] {
  const { replicas = 1, minReadySeconds = 0, revisionHistoryLimit = 0, progressDeadlineSeconds } = spec;
  return [
    ...nonNegative("spec.replicas", replicas),
    ...selectorIssues(spec),
    ...templateIssues(spec),
    ...strategyIssues(spec.strategy),
    ...nonNegative("spec.minReadySeconds", minReadySeconds),
    ...nonNegative("spec.revisionHistoryLimit", revisionHistoryLimit),
    ...(progressDeadlineSeconds === undefined ? [] : deadlineIssues(progressDeadlineSeconds, minReadySeconds)),
  ];
}

function deadlineIssues(deadlineSeconds: number, minReadySeconds: number): readonly FieldIssue[] {
  const path = "spec.progressDeadlineSeconds";
  return [
    ...nonNegative(path, deadlineSeconds),
    ...unless(deadlineSeconds > minReadySeconds, () =>
      invalid(path, deadlineSeconds, "must be greater than minReadySeconds"),
    ),
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
  const labels = template.metadata?.labels ?? {};
  const { restartPolicy = "Always", activeDeadlineSeconds } = template.spec;
  return [
    ...unless(isPresent(selector) && matchesLabels(parsed.value, labels), () =>
      invalid(
        childPath(path, "metadata.labels"),
        template.metadata?.labels ?? null,
        "`selector` does not match template `labels`",
      ),
    ),
    ...podTemplateIssues(template, path),
    ...unless(restartPolicy === "Always", () =>
      notSupported(childPath(path, "spec.restartPolicy"), restartPolicy, ["Always"]),
    ),
    ...unless(activeDeadlineSeconds === undefined, () =>
      forbidden(childPath(path, "spec.activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicaSet is not Supported"),
    ),
  ];
}

function strategyIssues(strategy: Spec["strategy"]): readonly FieldIssue[] {
  const path = "spec.strategy";
  const { type = "", rollingUpdate } = strategy;
  switch (type) {
    case "Recreate":
      return unless(rollingUpdate === undefined, () =>
        forbidden(childPath(path, "rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'"),
      );
    case "RollingUpdate":
      return rollingIssues(rollingUpdate ?? {}, childPath(path, "rollingUpdate"));
    default:
      return [unknownStrategy(strategy, path)];
  }
}

/** Worded with the names that the fields have inside Kubernetes. */
function unknownStrategy({ type = "", rollingUpdate }: Spec["strategy"], path: string): FieldIssue {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const rolling = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  const value = writeJson({ Type: type, RollingUpdate: rolling });
  const message = `Unsupported value: ${value}: supported values: "Recreate", "RollingUpdate"`;
  return { type: "FieldValueNotSupported", field: path, message };
}

function rollingIssues(
  { maxUnavailable = 0, maxSurge = 0 }: NonNullable<Spec["strategy"]["rollingUpdate"]>,
  path: string,
): readonly FieldIssue[] {
  const unavailable = childPath(path, "maxUnavailable");
  return [
    ...shareIssues(unavailable, maxUnavailable),
    ...shareIssues(childPath(path, "maxSurge"), maxSurge),
    ...unless(shareOf(maxUnavailable) !== 0 || shareOf(maxSurge) !== 0, () =>
      invalid(unavailable, maxUnavailable, "may not be 0 when `maxSurge` is 0"),
    ),
    ...unless(typeof maxUnavailable === "number" || shareOf(maxUnavailable) <= 100, () =>
      invalid(unavailable, maxUnavailable, "must not be greater than 100%"),
    ),
  ];
}

/** A number, or a share of the replicas such as `25%`. */
function shareIssues(path: string, share: number | string): readonly FieldIssue[] {
  if (typeof share === "number") return nonNegative(path, share);
  const fault =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return unless(/^[0-9]+%$/.test(share), () => invalid(path, share, fault));
}

function shareOf(share: number | string): number {
  return typeof share === "number" ? share : Number.parseInt(share, 10) || 0;
}

function statusIssues(status: Status, old: Status): readonly FieldIssue[] {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const above = "cannot be greater than status.replicas";
  const counts = [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
  ] as const;
  return [
    ...counts.flatMap((field) => nonNegative(childPath("status", field), status[field] ?? 0)),
    ...unless(updatedReplicas <= replicas, () => invalid("status.updatedReplicas", updatedReplicas, above)),
    ...unless(readyReplicas <= replicas, () => invalid("status.readyReplicas", readyReplicas, above)),
    ...unless(availableReplicas <= replicas, () => invalid("status.availableReplicas", availableReplicas, above)),
    ...unless(availableReplicas <= readyReplicas, () =>
      invalid("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas"),
    ),
    ...unless((status.collisionCount ?? 0) >= (old.collisionCount ?? 0), () =>
      invalid("status.collisionCount", status.collisionCount ?? 0, "cannot be decremented"),
    ),
  ];
}

function isPresent(selector: Spec["selector"] | undefined): boolean {
  return selector !== null && selector !== undefined;
}

function nonNegative(path: string, value: number): readonly FieldIssue[] {
  return unless(value >= 0, () => invalid(path, value, negative));
}
