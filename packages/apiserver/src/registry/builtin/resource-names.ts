import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import { issueUnless, nameRuleIssues } from "./field-checks.ts";
import { readQuantity } from "./typed/quantity-text.ts";

/** Quantities by resource name, as in requests and limits. */
export type ResourceList = Readonly<Record<string, string>>;

const containerResources = ["cpu", "memory", "ephemeral-storage"];

/** Names without a domain are Kubernetes' own; others are qualified, such as `example.com/gpu`. */
export function containerResourceIssues(name: string, path: string): readonly FieldIssue[] {
  const faults = nameRuleIssues(path, name, qualifiedName);
  if (faults.length > 0 || name.includes("/")) return faults;
  if (containerResources.includes(name) || name.startsWith("hugepages-")) return [];
  return [
    invalid(path, name, "must be a standard resource type or fully qualified"),
    invalid(path, name, "must be a standard resource for containers"),
  ];
}

export function amountIssues(amount: string, path: string): readonly FieldIssue[] {
  return issueUnless(nanosOf(amount) >= 0n, () => invalid(path, amount, "must be greater than or equal to 0"));
}

export function nanosOf(amount: string | undefined): bigint {
  return readQuantity(amount ?? "0")?.nanos ?? 0n;
}
