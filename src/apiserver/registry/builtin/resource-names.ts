import { type FieldIssue, invalid } from "../../../protocol/field-issue.ts";
import { qualifiedName } from "../../../protocol/names.ts";
import { nameFaults, unless } from "./field-checks.ts";
import { readQuantity } from "./typed/quantity-text.ts";

/** Resource names and amounts of them, as in limits and quotas. */
export type ResourceList = Readonly<Record<string, string>>;

const containerResources = ["cpu", "memory", "ephemeral-storage"];
const countedResources = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const quotaResources = new Set([
  ...containerResources,
  ...containerResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...countedResources,
]);
const milli = 1_000_000n;

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Names without a domain, or in Kubernetes' own. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Of a device plugin, say: counted in whole units. */
function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}

export function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

export function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
}

export function resourceNameIssues(name: string, path: string): readonly FieldIssue[] {
  const faults = nameFaults(path, name, qualifiedName);
  if (faults.length > 0 || name.includes("/") || name === "storage" || isQuotaResource(name)) return faults;
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
}

export function containerResourceIssues(name: string, path: string): readonly FieldIssue[] {
  const issues = resourceNameIssues(name, path);
  if (!name.includes("/")) {
    const isKnown = containerResources.includes(name) || isHugePages(name);
    return isKnown ? issues : [...issues, invalid(path, name, "must be a standard resource for containers")];
  }
  const isFine = isNative(name) || isExtended(name);
  return isFine ? issues : [...issues, invalid(path, name, "doesn't follow extended resource name standard")];
}

export function quotaResourceIssues(name: string, path: string): readonly FieldIssue[] {
  const issues = resourceNameIssues(name, path);
  if (name.includes("/") || isQuotaResource(name)) return issues;
  return [...issues, invalid(path, name, "must be a standard resource for quota")];
}

/** An amount is not negative, and whole where things are counted. */
export function amountIssues(name: string, amount: string, path: string): readonly FieldIssue[] {
  const nanos = nanosOf(amount);
  const isWhole = (nanos / milli) % 1000n === 0n || !(countedResources.includes(name) || isExtended(name));
  return [
    ...unless(nanos >= 0n, () => invalid(path, amount, "must be greater than or equal to 0")),
    ...unless(isWhole, () => invalid(path, amount, "must be an integer")),
  ];
}

export function nanosOf(amount: string | undefined): bigint {
  return readQuantity(amount ?? "0")?.nanos ?? 0n;
}
