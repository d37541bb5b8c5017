import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  required,
} from "../../../../protocol/field-issue.ts";
import { same, unless } from "../field-checks.ts";
import { specDifference } from "../spec-difference.ts";
import type { Container, PodSpec } from "./pod-object.ts";
import { tolerationIssues } from "./pod-template-rules.ts";

const secondsMax = 2 ** 31 - 1;
const onlyThese =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** What a pod that exists may still change: images, a shorter deadline, more tolerations, fewer gates. */
export function podUpdateIssues(spec: PodSpec, old: PodSpec): readonly FieldIssue[] {
  for (const list of ["containers", "initContainers"] as const) {
    const issues = imageIssues(spec[list] ?? [], old[list] ?? [], childPath("spec", list));
    if (issues.length > 0) return issues;
  }
  return [
    ...deadlineIssues(spec.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...tolerationChangeIssues(spec, old),
    ...gateChangeIssues(spec, old),
    ...otherIssues(spec, old),
  ];
}

function imageIssues(containers: readonly Container[], old: readonly Container[], path: string): readonly FieldIssue[] {
  if (containers.length !== old.length) return [forbidden(path, "pod updates may not add or remove containers")];
  return containers.flatMap(({ image = "" }, index) => {
    const at = childPath(itemPath(path, index), "image");
    return [
      ...unless(image !== "", () => required(at)),
      ...unless(image.trim() === image, () => invalid(at, image, "must not have leading or trailing whitespace")),
    ];
  });
}

function deadlineIssues(seconds: number | undefined, old: number | undefined): readonly FieldIssue[] {
  const path = "spec.activeDeadlineSeconds";
  if (seconds === undefined) {
    return unless(old === undefined, () => invalid(path, null, "must not update from a positive integer to nil value"));
  }
  if (seconds < 0 || seconds > secondsMax) {
    return [invalid(path, seconds, `must be between 0 and ${secondsMax}, inclusive`)];
  }
  return unless(old === undefined || seconds <= old, () =>
    invalid(path, seconds, "must be less than or equal to previous value"),
  );
}

function tolerationChangeIssues(spec: PodSpec, old: PodSpec): readonly FieldIssue[] {
  const path = "spec.tolerations";
  const now = (spec.tolerations ?? []).map(({ tolerationSeconds: _, ...rest }) => rest);
  const areKept = (old.tolerations ?? []).every(({ tolerationSeconds: _, ...before }) =>
    now.some((toleration) => same(toleration, before)),
  );
  if (!areKept) return [forbidden(path, "existing toleration can not be modified except its tolerationSeconds")];
  return tolerationIssues(spec.tolerations ?? [], path);
}

function gateChangeIssues({ schedulingGates = [] }: PodSpec, old: PodSpec): readonly FieldIssue[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return schedulingGates.flatMap(({ name }, index) =>
    unless(before.has(name), () =>
      forbidden(
        `${itemPath("spec.schedulingGates", index)}.name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    ),
  );
}

function otherIssues(spec: PodSpec, old: PodSpec): readonly FieldIssue[] {
  const change = specDifference(comparable(old, old), comparable(spec, old));
  return unless(change === "", () => forbidden("spec", `${onlyThese}\n${change}`));
}

/** A spec without what may change. */
function comparable(spec: PodSpec, old: PodSpec): unknown {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  const mayShorten = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const withoutImages = (containers: readonly Container[] | null | undefined): unknown =>
    (containers ?? []).map(({ image: ____, ...container }) => container);
  return {
    ...rest,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
    ...(mayShorten ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds ?? null } : {}),
    // Nothing schedules here: a gated pod may be told where to go, by more labels.
    ...((old.schedulingGates ?? []).length > 0 ? { nodeSelector: selectorOf(spec, old) } : {}),
  };
}

function selectorOf(spec: PodSpec, old: PodSpec): unknown {
  const before = Object.entries(old.nodeSelector ?? {});
  const isKept = before.every(([key, value]) => spec.nodeSelector?.[key] === value);
  return isKept ? (old.nodeSelector ?? {}) : (spec.nodeSelector ?? {});
}
