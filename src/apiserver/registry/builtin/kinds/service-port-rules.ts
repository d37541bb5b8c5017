import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { dnsLabel, qualifiedName } from "../../../../protocol/names.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { portNameFaults, portNumberIssues, protocols } from "../ports.ts";
import type { Service, ServicePort } from "./service-object.ts";

export function servicePortIssues({ type, ports = [] }: Service["spec"]): readonly FieldIssue[] {
  const isRepeated = (index: number, same: (left: ServicePort, right: ServicePort) => boolean): boolean =>
    ports.slice(0, index).some((earlier) => same(earlier, ports[index] as ServicePort));
  return ports.flatMap((port, index) => {
    const path = itemPath("spec.ports", index);
    return [
      ...nameIssues(port, path, ports.length > 1),
      ...(port.name && isRepeated(index, (left, right) => left.name === right.name)
        ? [duplicate(childPath(path, "name"), port.name)]
        : []),
      ...numberIssues(port, path),
      ...unless(type !== "ClusterIP" || !port.nodePort, () =>
        forbidden(childPath(path, "nodePort"), "may not be used when `type` is 'ClusterIP'"),
      ),
      ...(port.nodePort && isRepeated(index, sameNodePort)
        ? [duplicate(childPath(path, "nodePort"), port.nodePort)]
        : []),
      ...(isRepeated(index, samePort) ? [samePortIssue(port, path)] : []),
    ];
  });
}

function nameIssues({ name = "" }: ServicePort, path: string, needsName: boolean): readonly FieldIssue[] {
  if (name !== "") return nameFaults(childPath(path, "name"), name, dnsLabel);
  return needsName ? [required(childPath(path, "name"))] : [];
}

function numberIssues(port: ServicePort, path: string): readonly FieldIssue[] {
  const { protocol = "", targetPort, appProtocol } = port;
  const target = childPath(path, "targetPort");
  return [
    ...portNumberIssues(childPath(path, "port"), port.port),
    ...unless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
    ...(typeof targetPort === "string"
      ? portNameFaults(targetPort).map((fault) => invalid(target, targetPort, fault))
      : portNumberIssues(target, targetPort)),
    ...(appProtocol === undefined ? [] : nameFaults(childPath(path, "appProtocol"), appProtocol, qualifiedName)),
  ];
}

/** Worded with the names that the fields have inside Kubernetes. */
function samePortIssue({ port, protocol = "" }: ServicePort, path: string): FieldIssue {
  const value = `{"Name":"","Protocol":"${protocol}","AppProtocol":null,"Port":${port},"TargetPort":0,"NodePort":0}`;
  return { type: "FieldValueDuplicate", field: path, message: `Duplicate value: ${value}` };
}

function samePort(left: ServicePort, right: ServicePort): boolean {
  return left.protocol === right.protocol && left.port === right.port;
}

function sameNodePort(left: ServicePort, right: ServicePort): boolean {
  return left.protocol === right.protocol && left.nodePort === right.nodePort;
}
