import {
  childPath,
  duplicate,
  type FieldIssue,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { issueUnless, nameRuleIssues } from "../../field-checks.ts";
import { labelsIssues } from "../../label-selector-rules.ts";
import { containersIssues } from "./container-rules.ts";
import type { PodSpec, PodTemplate } from "./pod-object.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];

export function podTemplateIssues({ metadata = {}, spec }: PodTemplate, path: string): readonly FieldIssue[] {
  return [
    ...labelsIssues(metadata.labels ?? {}, childPath(path, "labels")),
    ...podSpecIssues(spec, childPath(path, "spec")),
  ];
}

export function podSpecIssues(spec: PodSpec, path: string): readonly FieldIssue[] {
  const { restartPolicy = "", initContainers = [], volumes = [] } = spec;
  const containers = spec.containers ?? [];
  const mountable = new Set(volumes.map(({ name }) => name));
  const taken = new Set<string>();
  return [
    ...volumeIssues(volumes, childPath(path, "volumes")),
    ...issueUnless(containers.length > 0, () => required(childPath(path, "containers"))),
    ...containersIssues(containers, childPath(path, "containers"), mountable, taken),
    ...containersIssues(initContainers, childPath(path, "initContainers"), mountable, taken),
    ...issueUnless(restartPolicies.includes(restartPolicy), () =>
      notSupported(childPath(path, "restartPolicy"), restartPolicy, restartPolicies),
    ),
  ];
}

function volumeIssues(volumes: NonNullable<PodSpec["volumes"]>, path: string): readonly FieldIssue[] {
  return volumes.flatMap(({ name }, index) => {
    const at = childPath(itemPath(path, index), "name");
    if (name === "") return [required(at)];
    const isRepeated = volumes.slice(0, index).some((earlier) => earlier.name === name);
    return [...nameRuleIssues(at, name, dnsLabel), ...(isRepeated ? [duplicate(at, name)] : [])];
  });
}
