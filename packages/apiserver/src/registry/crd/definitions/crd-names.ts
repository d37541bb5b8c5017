import { type FieldIssue, invalid, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsSubdomain, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import type { Definition, DefinitionNames } from "./definition.ts";
import { dnsLabel1035 } from "./label-1035.ts";

/** Requested names: all required ones present, and valid. */
export function nameIssues({ names }: Definition): readonly FieldIssue[] {
  const needed = ["plural", "singular", "kind", "listKind"] as const;
  return [
    ...needed.filter((field) => names[field] === "").map((field) => required(`spec.names.${field}`)),
    ...namesIssues(names, "spec.names"),
  ];
}

/** Names that may be absent, but not invalid. */
export function namesIssues(names: DefinitionNames, path: string): readonly FieldIssue[] {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return [
    ...labelIssues(plural, `${path}.plural`),
    ...labelIssues(singular, `${path}.singular`),
    ...kindIssues(kind, `${path}.kind`),
    ...kindIssues(listKind, `${path}.listKind`),
    ...shortNames.flatMap((name, index) => ruleIssues(name, `${path}.shortNames[${index}]`, dnsLabel1035)),
    ...(kind !== "" && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, index) => ruleIssues(name, `${path}.categories[${index}]`, dnsLabel1035)),
  ];
}

function labelIssues(name: string, path: string): readonly FieldIssue[] {
  return name === "" ? [] : ruleIssues(name, path, dnsLabel1035);
}

function kindIssues(name: string, path: string): readonly FieldIssue[] {
  const faults = name === "" ? [] : dnsLabel1035(name.toLowerCase());
  if (faults.length === 0) return [];
  return [invalid(path, name, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}

export function ruleIssues(name: string, path: string, rule: NameRule): readonly FieldIssue[] {
  const faults = rule(name);
  return faults.length === 0 ? [] : [invalid(path, name, faults.join(","))];
}

export function groupIssues({ group }: Definition): readonly FieldIssue[] {
  if (group === "") return [required("spec.group")];
  const malformed = ruleIssues(group, "spec.group", dnsSubdomain);
  if (malformed.length > 0 || group.includes(".")) return malformed;
  return [invalid("spec.group", group, "should be a domain with at least one dot")];
}

const approval = "api-approved.kubernetes.io";
const proposal = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Groups of Kubernetes itself are reserved for approved APIs. */
export function approvalIssues(definition: Definition, old: Definition | undefined): readonly FieldIssue[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(definition.group)) return [];
  const state = approvalState(definition);
  if (old !== undefined && approvalState(old) === state) return [];
  const at = `metadata.annotations[${approval}]`;
  const needed = `protected groups must have approval annotation "${approval}"`;
  if (state === "missing") return [required(at, `${needed}, ${proposal}`)];
  if (state !== "invalid") return [];
  const fault = `${needed} with either a URL or a reason starting with "unapproved", ${proposal}`;
  return [invalid(at, definition.annotations[approval], fault)];
}

function approvalState({ annotations }: Definition): "missing" | "bypassed" | "approved" | "invalid" {
  const value = Object.hasOwn(annotations, approval) ? annotations[approval] : "";
  if (typeof value !== "string" || value === "") return "missing";
  if (value.startsWith("unapproved")) return "bypassed";
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s?#]+/.test(value) ? "approved" : "invalid";
}
