import {
  childPath,
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import type { WrittenSubresource } from "../../../kinds/served-kind.ts";
import { issueUnless, nameRuleIssues } from "../../field-checks.ts";
import { labelsIssues } from "../../label-selector-rules.ts";
import { portNameProblems, portNumberIssues, protocols } from "../../ports.ts";
import type { Service, ServicePort } from "./service-object.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

export function serviceIssues(
  { spec }: Service,
  old: Service | undefined,
  part: WrittenSubresource,
): readonly FieldIssue[] {
  if (part === "status") return [];
  const { type, ports = [], externalName = "", clusterIP } = spec;
  const needsPorts = type !== "ExternalName" && clusterIP !== "None";
  return [
    ...issueUnless(ports.length > 0 || !needsPorts, () => required("spec.ports")),
    ...issueUnless(types.includes(type), () => notSupported("spec.type", type, types)),
    ...issueUnless(type !== "ExternalName" || externalName !== "", () => required("spec.externalName")),
    ...portsIssues(ports),
    ...labelsIssues(spec.selector ?? {}, "spec.selector"),
    ...(old === undefined ? [] : addressIssues(spec, old.spec)),
  ];
}

function portsIssues(ports: readonly ServicePort[]): readonly FieldIssue[] {
  const taken = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = itemPath("spec.ports", index);
    const { name = "" } = port;
    const isRepeated = name !== "" && taken.has(name);
    taken.add(name);
    return [
      ...(name === "" ? [] : nameRuleIssues(childPath(path, "name"), name, dnsLabel)),
      ...issueUnless(name !== "" || ports.length === 1, () => required(childPath(path, "name"))),
      ...(isRepeated ? [duplicate(childPath(path, "name"), name)] : []),
      ...numberIssues(port, path),
    ];
  });
}

function numberIssues({ port, protocol = "", targetPort }: ServicePort, path: string): readonly FieldIssue[] {
  const target = childPath(path, "targetPort");
  return [
    ...portNumberIssues(childPath(path, "port"), port),
    ...issueUnless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
    ...(typeof targetPort === "string"
      ? nameRuleIssues(target, targetPort, portNameProblems)
      : portNumberIssues(target, targetPort)),
  ];
}

/** The cluster IP is immutable, except when changing from or to ExternalName. */
function addressIssues(spec: Service["spec"], old: Service["spec"]): readonly FieldIssue[] {
  if (spec.type === "ExternalName" || old.clusterIP === undefined || spec.clusterIP === old.clusterIP) return [];
  return [invalid("spec.clusterIPs[0]", spec.clusterIPs ?? [], "may not change once set")];
}
