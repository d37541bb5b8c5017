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
  const [names, nodePorts, numbers] = [new Repetitions(), new Repetitions(), new Repetitions()];
  return ports.flatMap((port, index) => {
    const path = itemPath("spec.ports", index);
    const { name, nodePort, protocol = "" } = port;
    return [
      ...nameIssues(port, path, ports.length > 1),
      ...(name && names.repeats(name) ? [duplicate(childPath(path, "name"), name)] : []),
      ...numberIssues(port, path),
      ...unless(type !== "ClusterIP" || !nodePort, () =>
        forbidden(childPath(path, "nodePort"), "may not be used when `type` is 'ClusterIP'"),
      ),
      ...(nodePort && nodePorts.repeats(`${protocol} ${nodePort}`)
        ? [duplicate(childPath(path, "nodePort"), nodePort)]
        : []),
      ...(numbers.repeats(`${protocol} ${port.port}`) ? [samePortIssue(port, path)] : []),
    ];
  });
}

/** What was there before, in a list of any length. */
class Repetitions {
  readonly #seen = new Set<string>();

  repeats(value: string): boolean {
    const isKnown = this.#seen.has(value);
    this.#seen.add(value);
    return isKnown;
  }
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
