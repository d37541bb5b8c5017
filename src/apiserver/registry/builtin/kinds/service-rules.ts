import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { dnsSubdomain, qualifiedName } from "../../../../protocol/names.ts";
import { formatCheck } from "../../../../schema/formats.ts";
import type { WrittenPart } from "../../served-kind.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { endpointIpIssues, ipIssues } from "../ip-address.ts";
import { labelsIssues } from "../label-selector-rules.ts";
import { portNumberIssues } from "../ports.ts";
import { clusterIpIssues, isHeadless } from "./service-cluster-ip-rules.ts";
import { isExternallyAccessible, type Service } from "./service-object.ts";
import { servicePortIssues } from "./service-port-rules.ts";

type Spec = Service["spec"];

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const isCidr = formatCheck("cidr") as (text: string) => boolean;
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
const affinitySecondsMax = 86_400;

export function serviceIssues(service: Service, old: Service | undefined, part: WrittenPart): readonly FieldIssue[] {
  if (part === "status") return statusIssues(service);
  const { spec } = service;
  return [
    ...(old === undefined ? [] : changeIssues(spec, old.spec)),
    ...unless((spec.ports ?? []).length > 0 || isHeadless(spec) || spec.type === "ExternalName", () =>
      required("spec.ports"),
    ),
    ...typeIssues(spec),
    ...servicePortIssues(spec),
    ...labelsIssues(spec.selector ?? {}, "spec.selector"),
    ...affinityIssues(spec),
    ...clusterIpIssues(spec, old?.spec),
    ...externalIpIssues(spec, old?.spec),
    ...loadBalancerIssues(spec),
    ...trafficIssues(spec),
  ];
}

function changeIssues(spec: Spec, old: Spec): readonly FieldIssue[] {
  const staysLoadBalancer = spec.type === "LoadBalancer" && old.type === "LoadBalancer";
  return unless(!staysLoadBalancer || spec.loadBalancerClass === old.loadBalancerClass, () =>
    invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set"),
  );
}

function typeIssues(spec: Spec): readonly FieldIssue[] {
  const { type, externalName = "" } = spec;
  if (!types.includes(type)) return [notSupported("spec.type", type, types)];
  if (type !== "ExternalName") {
    return unless(type === "ClusterIP" || !isHeadless(spec), () =>
      invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`),
    );
  }
  const set = [
    ["clusterIPs", (spec.clusterIPs ?? []).length > 0],
    ["ipFamilies", (spec.ipFamilies ?? []).length > 0],
    ["ipFamilyPolicy", spec.ipFamilyPolicy !== undefined],
  ] as const;
  const name = externalName.replace(/\.$/, "");
  return [
    ...set
      .filter(([, isSet]) => isSet)
      .map(([field]) => forbidden(childPath("spec", field), "may not be set for ExternalName services")),
    ...(name === "" ? [required("spec.externalName")] : nameFaults("spec.externalName", name, dnsSubdomain)),
  ];
}

function affinityIssues({ sessionAffinity = "", sessionAffinityConfig }: Spec): readonly FieldIssue[] {
  const kinds = ["ClientIP", "None"];
  if (!kinds.includes(sessionAffinity)) return [notSupported("spec.sessionAffinity", sessionAffinity, kinds)];
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity !== "ClientIP" || seconds === undefined) return [];
  return unless(seconds > 0 && seconds <= affinitySecondsMax, () =>
    invalid(
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
      seconds,
      `must be greater than 0 and less than ${affinitySecondsMax}`,
    ),
  );
}

function externalIpIssues({ externalIPs = [] }: Spec, old: Spec | undefined): readonly FieldIssue[] {
  return externalIPs.flatMap((ip, index) => {
    if (old?.externalIPs?.includes(ip)) return [];
    const path = itemPath("spec.externalIPs", index);
    const faults = ipIssues(path, ip);
    return faults.length > 0 ? faults : endpointIpIssues(path, ip);
  });
}

function loadBalancerIssues(spec: Spec): readonly FieldIssue[] {
  const { type, loadBalancerSourceRanges = [], allocateLoadBalancerNodePorts, loadBalancerClass } = spec;
  const isLoadBalancer = type === "LoadBalancer";
  const ranges = "spec.LoadBalancerSourceRanges";
  return [
    ...unless(isLoadBalancer || loadBalancerSourceRanges.length === 0, () => forbidden(ranges, onlyLoadBalancer)),
    ...loadBalancerSourceRanges.flatMap((range, index) =>
      unless(isCidr(range.trim()), () =>
        invalid(
          itemPath(ranges, index),
          range.trim(),
          "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        ),
      ),
    ),
    ...unless(isLoadBalancer || allocateLoadBalancerNodePorts === undefined, () =>
      forbidden("spec.allocateLoadBalancerNodePorts", onlyLoadBalancer),
    ),
    ...(loadBalancerClass === undefined
      ? []
      : isLoadBalancer
        ? nameFaults("spec.loadBalancerClass", loadBalancerClass, qualifiedName)
        : [forbidden("spec.loadBalancerClass", onlyLoadBalancer)]),
  ];
}

function trafficIssues(spec: Spec): readonly FieldIssue[] {
  const policies = ["Cluster", "Local"];
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  const { internalTrafficPolicy, trafficDistribution } = spec;
  return [
    ...externalTrafficIssues(spec, policies),
    ...healthCheckIssues(spec),
    ...unless(internalTrafficPolicy === undefined || policies.includes(internalTrafficPolicy), () =>
      notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, policies),
    ),
    ...unless(trafficDistribution === undefined || distributions.includes(trafficDistribution), () =>
      notSupported("spec.trafficDistribution", trafficDistribution, distributions),
    ),
  ];
}

function externalTrafficIssues(spec: Spec, policies: readonly string[]): readonly FieldIssue[] {
  const path = "spec.externalTrafficPolicy";
  const { externalTrafficPolicy = "" } = spec;
  if (!isExternallyAccessible(spec)) {
    const fault = "may only be set for externally-accessible services";
    return unless(externalTrafficPolicy === "", () => invalid(path, externalTrafficPolicy, fault));
  }
  return unless(policies.includes(externalTrafficPolicy), () => notSupported(path, externalTrafficPolicy, policies));
}

function healthCheckIssues({ type, externalTrafficPolicy, healthCheckNodePort = 0 }: Spec): readonly FieldIssue[] {
  const path = "spec.healthCheckNodePort";
  if (type === "LoadBalancer" && externalTrafficPolicy === "Local") return portNumberIssues(path, healthCheckNodePort);
  const fault = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return unless(healthCheckNodePort === 0, () => invalid(path, healthCheckNodePort, fault));
}

function statusIssues({ spec, status }: Service): readonly FieldIssue[] {
  const ingress = status.loadBalancer?.ingress ?? [];
  const path = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && ingress.length > 0) {
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.flatMap(({ ip = "", hostname = "" }, index) => [
    ...(ip === "" ? [] : ipIssues(childPath(itemPath(path, index), "ip"), ip)),
    ...(hostname === "" ? [] : nameFaults(childPath(itemPath(path, index), "hostname"), hostname, dnsSubdomain)),
  ]);
}
