import { childPath, type FieldIssue, forbidden } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { issueUnless } from "../../field-checks.ts";
import { specDifference } from "../../spec-difference.ts";
import type { Container, PodSpec } from "./pod-object.ts";

const onlyThese =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`,`spec.schedulingGates`";

/** Resources of a pod are immutable here, so that its claims stay valid. */
export function podUpdateIssues(spec: PodSpec, old: PodSpec): readonly FieldIssue[] {
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length === (old[list] ?? []).length) continue;
    return [forbidden(childPath("spec", list), "pod updates may not add or remove containers")];
  }
  const change = specDifference(fixedPart(old), fixedPart(spec));
  return issueUnless(change === "", () => forbidden("spec", `${onlyThese}\n${change}`));
}

function fixedPart(spec: PodSpec): unknown {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  return {
    ...rest,
    containers: withoutImages(spec.containers ?? []),
    initContainers: withoutImages(spec.initContainers ?? []),
  };
}

function withoutImages(containers: readonly Container[]): unknown {
  return containers.map(({ image: _, ...container }) => container);
}
