import {
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { unless } from "../field-checks.ts";
import { ipFamily, ipIssues } from "../ip-address.ts";
import type { Service } from "./service-object.ts";

type Spec = Service["spec"];

const path = "spec.clusterIPs";
const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Without an address of its own: names resolve to the pods behind it. */
export function isHeadless({ clusterIPs = [] }: Spec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

export function clusterIpIssues(spec: Spec, old: Spec | undefined): readonly FieldIssue[] {
  if (spec.type === "ExternalName") return [];
  return [
    ...(old === undefined || old.type === "ExternalName" ? [] : changeIssues(spec, old)),
    ...syncIssues(spec),
    ...familyIssues(spec),
    ...addressIssues(spec),
  ];
}

/** The two fields say the same. */
function syncIssues({ clusterIP = "", clusterIPs = [] }: Spec): readonly FieldIssue[] {
  if (clusterIP === "") {
    return unless(clusterIPs.length === 0, () =>
      invalid(path, clusterIPs, "must be empty when `clusterIP` is not specified"),
    );
  }
  if (clusterIPs.length === 0) return [required(path)];
  return unless(clusterIPs[0] === clusterIP, () => invalid(path, clusterIPs, "first value must match `clusterIP`"));
}

function familyIssues({ ipFamilies = [], ipFamilyPolicy }: Spec): readonly FieldIssue[] {
  return [
    ...ipFamilies.flatMap((family, index) => [
      ...unless(families.includes(family), () => notSupported(itemPath("spec.ipFamilies", index), family, families)),
      ...unless(ipFamilies.indexOf(family) === index, () => duplicate(itemPath("spec.ipFamilies", index), family)),
    ]),
    ...unless(ipFamilyPolicy === undefined || policies.includes(ipFamilyPolicy), () =>
      notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies),
    ),
  ];
}

function addressIssues(spec: Spec): readonly FieldIssue[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const misplaced = clusterIPs[0] === "None" && clusterIPs.length > 1;
  const faults = clusterIPs.flatMap((ip, index) =>
    index === 0 && ip === "None" ? [] : ipIssues(itemPath(path, index), ip),
  );
  const issues = [
    ...(misplaced ? [invalid(path, clusterIPs, "'None' must be the first and only value")] : []),
    ...faults,
    ...unless(clusterIPs.length <= 2, () => invalid(path, clusterIPs, "may only hold up to 2 values")),
  ];
  if (misplaced || faults.length > 0) return issues;
  const isDual = clusterIPs.length < 2 || new Set(clusterIPs.map(ipFamily)).size === 2;
  return [
    ...issues,
    ...unless(isDual, () => invalid(path, clusterIPs, "may specify no more than one IP for each IP family")),
    ...(isHeadless(spec) ? [] : mismatchIssues(clusterIPs, ipFamilies)),
  ];
}

function mismatchIssues(clusterIPs: readonly string[], ipFamilies: readonly string[]): readonly FieldIssue[] {
  return clusterIPs.flatMap((ip, index) => {
    const family = ipFamilies[index];
    const fault = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return unless(family === undefined || !families.includes(family) || ipFamily(ip) === family, () =>
      invalid(itemPath(path, index), ip, fault),
    );
  });
}

/** A Service keeps its first address, unless it changes to or from a name outside. */
function changeIssues(spec: Spec, old: Spec): readonly FieldIssue[] {
  const after = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  if (before.length > 0 && after.length === 0) {
    return [invalid(itemPath(path, 0), after, "primary clusterIP can not be unset")];
  }
  const compared = before.length === after.length ? before : before.slice(0, 1);
  return compared.flatMap((ip, index) =>
    unless(ip === after[index], () => invalid(itemPath(path, index), after, "may not change once set")),
  );
}
