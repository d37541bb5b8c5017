import {
  childPath,
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notFound,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { dnsLabel } from "../../../../protocol/names.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { portNameFaults, portNumberIssues, protocols } from "../ports.ts";
import { amountIssues, containerResourceIssues, nanosOf, type ResourceList } from "../resource-names.ts";
import { environmentIssues } from "./environment-rules.ts";
import type { Container, ContainerPort } from "./pod-object.ts";

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

export function containerIssues(
  container: Container,
  path: string,
  volumes: ReadonlySet<string>,
): readonly FieldIssue[] {
  const { image = "", terminationMessagePolicy = "", imagePullPolicy = "" } = container;
  const name = childPath(path, "name");
  return [
    ...(container.name === "" ? [required(name)] : nameFaults(name, container.name, dnsLabel)),
    ...unless(image !== "", () => required(childPath(path, "image"))),
    ...unless(image === image.trim(), () =>
      invalid(childPath(path, "image"), image, "must not have leading or trailing whitespace"),
    ),
    ...unless(messagePolicies.includes(terminationMessagePolicy), () =>
      notSupported(childPath(path, "terminationMessagePolicy"), terminationMessagePolicy, messagePolicies),
    ),
    ...portsIssues(container.ports ?? [], childPath(path, "ports")),
    ...environmentIssues(container.env ?? [], childPath(path, "env")),
    ...mountIssues(container, childPath(path, "volumeMounts"), volumes),
    ...deviceIssues(container, childPath(path, "volumeDevices"), volumes),
    ...unless(pullPolicies.includes(imagePullPolicy), () =>
      notSupported(childPath(path, "imagePullPolicy"), imagePullPolicy, pullPolicies),
    ),
    ...resourceIssues(container.resources ?? {}, childPath(path, "resources")),
  ];
}

function portsIssues(ports: readonly ContainerPort[], path: string): readonly FieldIssue[] {
  return ports.flatMap((port, index) => {
    const at = itemPath(path, index);
    const { name = "", hostPort = 0, protocol = "" } = port;
    const isRepeated = name !== "" && ports.slice(0, index).some((earlier) => earlier.name === name);
    const faults = name === "" ? [] : nameFaults(childPath(at, "name"), name, portNameFaults);
    return [
      ...(faults.length === 0 && isRepeated ? [duplicate(childPath(at, "name"), name)] : faults),
      ...(port.containerPort === 0
        ? [required(childPath(at, "containerPort"))]
        : portNumberIssues(childPath(at, "containerPort"), port.containerPort)),
      ...(hostPort === 0 ? [] : portNumberIssues(childPath(at, "hostPort"), hostPort)),
      ...unless(protocols.includes(protocol), () => notSupported(childPath(at, "protocol"), protocol, protocols)),
    ];
  });
}

function mountIssues(container: Container, path: string, volumes: ReadonlySet<string>): readonly FieldIssue[] {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  return mounts.flatMap(({ name, mountPath, subPath = "", subPathExpr = "" }, index) => {
    const at = itemPath(path, index);
    const isRepeated = mounts.slice(0, index).some((earlier) => earlier.mountPath === mountPath);
    return [
      ...unless(name !== "", () => required(childPath(at, "name"))),
      ...unless(volumes.has(name), () => notFound(childPath(at, "name"), name)),
      ...unless(mountPath !== "", () => required(childPath(at, "mountPath"))),
      ...(isRepeated ? [invalid(childPath(at, "mountPath"), mountPath, "must be unique")] : []),
      ...unless(!devices.some((device) => device.name === name), () =>
        invalid(childPath(at, "name"), name, "must not already exist in volumeDevices"),
      ),
      ...unless(!devices.some((device) => device.devicePath === mountPath), () =>
        invalid(childPath(at, "mountPath"), mountPath, "must not already exist as a path in volumeDevices"),
      ),
      ...descendingIssues(childPath(path, "subPath"), subPath),
      ...unless(subPath === "" || subPathExpr === "", () =>
        invalid(childPath(at, "subPathExpr"), subPathExpr, "subPathExpr and subPath are mutually exclusive"),
      ),
      ...descendingIssues(childPath(path, "subPathExpr"), subPathExpr),
    ];
  });
}

/** A path that stays below where it starts. */
function descendingIssues(path: string, text: string): readonly FieldIssue[] {
  return [
    ...unless(!text.startsWith("/"), () => invalid(path, text, "must be a relative path")),
    ...unless(!text.split("/").includes(".."), () => invalid(path, text, "must not contain '..'")),
  ];
}

function deviceIssues(container: Container, path: string, volumes: ReadonlySet<string>): readonly FieldIssue[] {
  return (container.volumeDevices ?? []).flatMap(({ name, devicePath }, index) => {
    const at = itemPath(path, index);
    return [
      ...unless(name !== "", () => required(childPath(at, "name"))),
      ...unless(devicePath !== "", () => required(childPath(at, "devicePath"))),
      ...unless(name === "" || volumes.has(name), () => notFound(childPath(at, "name"), name)),
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
      return unless(limit === undefined || nanosOf(amount) <= nanosOf(limit), () =>
        invalid(childPath(path, "requests"), amount, `must be less than or equal to ${name} limit of ${limit}`),
      );
    }),
  ];
}
