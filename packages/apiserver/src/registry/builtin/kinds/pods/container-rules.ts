import {
  childPath,
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notFound,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { issueUnless, nameRuleIssues } from "../../field-checks.ts";
import { portNameProblems, portNumberIssues, protocols } from "../../ports.ts";
import { amountIssues, containerResourceIssues, nanosOf, type ResourceList } from "../../resource-names.ts";
import type { Container, ContainerPort, VolumeMount } from "./pod-object.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** `taken` has the names of the pod's other containers; the names of these are added. */
export function containersIssues(
  containers: readonly Container[],
  path: string,
  volumes: ReadonlySet<string>,
  taken: Set<string>,
): readonly FieldIssue[] {
  return containers.flatMap((container, index) => {
    const at = itemPath(path, index);
    const isRepeated = taken.has(container.name);
    taken.add(container.name);
    return [
      ...containerIssues(container, at, volumes),
      ...(isRepeated ? [duplicate(childPath(at, "name"), container.name)] : []),
    ];
  });
}

function containerIssues(container: Container, path: string, volumes: ReadonlySet<string>): readonly FieldIssue[] {
  const { image = "", imagePullPolicy = "", ports = [], volumeMounts = [], resources = {} } = container;
  const name = childPath(path, "name");
  return [
    ...(container.name === "" ? [required(name)] : nameRuleIssues(name, container.name, dnsLabel)),
    ...issueUnless(image !== "", () => required(childPath(path, "image"))),
    ...issueUnless(image === image.trim(), () =>
      invalid(childPath(path, "image"), image, "must not have leading or trailing whitespace"),
    ),
    ...ports.flatMap((port, index) => portIssues(port, itemPath(childPath(path, "ports"), index))),
    ...mountIssues(volumeMounts, childPath(path, "volumeMounts"), volumes),
    ...issueUnless(pullPolicies.includes(imagePullPolicy), () =>
      notSupported(childPath(path, "imagePullPolicy"), imagePullPolicy, pullPolicies),
    ),
    ...resourceIssues(resources, childPath(path, "resources")),
  ];
}

function portIssues({ name = "", containerPort, protocol = "" }: ContainerPort, path: string): readonly FieldIssue[] {
  const number = childPath(path, "containerPort");
  return [
    ...(name === "" ? [] : nameRuleIssues(childPath(path, "name"), name, portNameProblems)),
    ...(containerPort === 0 ? [required(number)] : portNumberIssues(number, containerPort)),
    ...issueUnless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
  ];
}

function mountIssues(
  mounts: readonly VolumeMount[],
  path: string,
  volumes: ReadonlySet<string>,
): readonly FieldIssue[] {
  return mounts.flatMap(({ name, mountPath }, index) => {
    const at = itemPath(path, index);
    const isRepeated = mounts.slice(0, index).some((earlier) => earlier.mountPath === mountPath);
    return [
      ...issueUnless(volumes.has(name), () => notFound(childPath(at, "name"), name)),
      ...issueUnless(mountPath !== "", () => required(childPath(at, "mountPath"))),
      ...(isRepeated ? [invalid(childPath(at, "mountPath"), mountPath, "must be unique")] : []),
    ];
  });
}

function resourceIssues(
  { limits = {}, requests = {} }: NonNullable<Container["resources"]>,
  path: string,
): readonly FieldIssue[] {
  const listIssues = (list: string, amounts: ResourceList): readonly FieldIssue[] =>
    Object.entries(amounts).flatMap(([name, amount]) => {
      const at = itemPath(childPath(path, list), name);
      return [...containerResourceIssues(name, at), ...amountIssues(amount, at)];
    });
  return [
    ...listIssues("limits", limits),
    ...listIssues("requests", requests),
    ...Object.entries(requests).flatMap(([name, amount]) => {
      const limit = limits[name];
      return issueUnless(limit === undefined || nanosOf(amount) <= nanosOf(limit), () =>
        invalid(childPath(path, "requests"), amount, `must be less than or equal to ${name} limit of ${limit}`),
      );
    }),
  ];
}
