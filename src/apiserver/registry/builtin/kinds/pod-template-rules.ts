import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
} from "../../../../protocol/field-issue.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../../../../protocol/names.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { labelsIssues } from "../label-selector-rules.ts";
import { containersIssues, initContainersIssues } from "./container-list-rules.ts";
import type { PodSpec, PodTemplate, Toleration } from "./pod-object.ts";
import { volumeIssues } from "./volume-rules.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const secondsMax = 2 ** 31 - 1;

export function podTemplateIssues({ metadata = {}, spec }: PodTemplate, path: string): readonly FieldIssue[] {
  return [
    ...labelsIssues(metadata.labels ?? {}, childPath(path, "labels")),
    ...Object.keys(metadata.annotations ?? {}).flatMap((key) =>
      nameFaults(childPath(path, "annotations"), key.toLowerCase(), qualifiedName),
    ),
    ...podSpecIssues(spec, childPath(path, "spec")),
    ...unless((spec.ephemeralContainers ?? []).length === 0, () =>
      forbidden(childPath(path, "spec.ephemeralContainers"), "ephemeral containers not allowed in pod template"),
    ),
  ];
}

export function podSpecIssues(spec: PodSpec, path: string): readonly FieldIssue[] {
  const { restartPolicy = "", dnsPolicy = "" } = spec;
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  return [
    ...volumeIssues(spec.volumes ?? [], childPath(path, "volumes")),
    ...containersIssues(spec.containers ?? [], childPath(path, "containers"), volumes),
    ...initContainersIssues(spec, childPath(path, "initContainers"), volumes),
    ...hostNetworkIssues(spec, path),
    ...unless(restartPolicies.includes(restartPolicy), () =>
      notSupported(childPath(path, "restartPolicy"), restartPolicy, restartPolicies),
    ),
    ...unless(dnsPolicies.includes(dnsPolicy), () =>
      notSupported(childPath(path, "dnsPolicy"), dnsPolicy, dnsPolicies),
    ),
    ...labelsIssues(spec.nodeSelector ?? {}, childPath(path, "nodeSelector")),
    ...gateIssues(spec, path),
    ...nameIssues(spec, path),
    ...deadlineIssues(spec.activeDeadlineSeconds, childPath(path, "activeDeadlineSeconds")),
    ...tolerationIssues(spec.tolerations ?? [], childPath(path, "tolerations")),
  ];
}

/** On the network of the node, a container's port is the node's. */
function hostNetworkIssues(spec: PodSpec, path: string): readonly FieldIssue[] {
  if (spec.hostNetwork !== true) return [];
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ ports = [] }, at) =>
      ports.flatMap(({ hostPort = 0, containerPort }, index) =>
        unless(hostPort === 0 || hostPort === containerPort, () =>
          invalid(
            `${itemPath(childPath(path, list), at)}.${itemPath("ports", index)}.hostPort`,
            hostPort,
            "must match `containerPort` when `hostNetwork` is true",
          ),
        ),
      ),
    ),
  );
}

function gateIssues({ readinessGates = [], schedulingGates = [] }: PodSpec, path: string): readonly FieldIssue[] {
  return [
    ...readinessGates.flatMap(({ conditionType }, index) =>
      nameFaults(`${itemPath(childPath(path, "readinessGates"), index)}.conditionType`, conditionType, qualifiedName),
    ),
    ...schedulingGates.flatMap(({ name }, index) => {
      const at = itemPath(childPath(path, "schedulingGates"), index);
      const isRepeated = schedulingGates.slice(0, index).some((earlier) => earlier.name === name);
      return [...nameFaults(at, name, qualifiedName), ...(isRepeated ? [duplicate(at, name)] : [])];
    }),
  ];
}

function nameIssues(spec: PodSpec, path: string): readonly FieldIssue[] {
  const named = [
    ["serviceAccountName", dnsSubdomain],
    ["nodeName", dnsSubdomain],
    ["hostname", dnsLabel],
    ["subdomain", dnsLabel],
    ["priorityClassName", dnsSubdomain],
  ] as const;
  return named.flatMap(([field, rule]) => {
    const name = spec[field] ?? "";
    return name === "" ? [] : nameFaults(childPath(path, field), name, rule);
  });
}

function deadlineIssues(seconds: number | undefined, path: string): readonly FieldIssue[] {
  return unless(seconds === undefined || (seconds >= 1 && seconds <= secondsMax), () =>
    invalid(path, seconds, `must be between 1 and ${secondsMax}, inclusive`),
  );
}

export function tolerationIssues(tolerations: readonly Toleration[], path: string): readonly FieldIssue[] {
  return tolerations.flatMap((toleration, index) => {
    const at = itemPath(path, index);
    const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
    const matchAll = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
    return [
      ...(key === "" ? [] : nameFaults(childPath(at, "key"), key, qualifiedName)),
      ...unless(key !== "" || operator === "Exists", () => invalid(childPath(at, "operator"), operator, matchAll)),
      ...unless(tolerationSeconds === undefined || effect === "NoExecute", () =>
        invalid(childPath(at, "effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      ),
      ...operatorIssues(toleration, childPath(at, "operator")),
      ...unless(effect === "" || effects.includes(effect), () =>
        notSupported(childPath(at, "effect"), effect, effects),
      ),
    ];
  });
}

function operatorIssues({ operator = "", value = "" }: Toleration, path: string): readonly FieldIssue[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = labelValue(value);
      return faults.length === 0 ? [] : [invalid(path, value, faults.join(";"))];
    }
    case "Exists":
      return unless(value === "", () => invalid(path, value, "value must be empty when `operator` is 'Exists'"));
    default:
      return [notSupported(path, operator, ["Equal", "Exists"])];
  }
}
