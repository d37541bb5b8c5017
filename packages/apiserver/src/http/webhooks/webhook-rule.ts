import { isNamespaceKind } from "../../registry/lifecycle/namespace-lifecycle.ts";
/** Which requests a webhook matches. */
export interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  // `pods`, `pods/status`, `*`, `pods/*`, `*/status`, `*/*`. Without a slash subresources do not match.
  readonly resources: readonly string[];
  readonly scope: string;
}

/** The parts of a request that rules match on. */
export interface RuleTarget {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Of the object; for a Namespace its own name. */
  readonly namespace: string;
}

export function ruleMatches(rule: WebhookRule, target: RuleTarget): boolean {
  return (
    scopeMatches(rule.scope, target) &&
    hasOrAll(rule.operations, target.operation) &&
    hasOrAll(rule.apiGroups, target.group) &&
    hasOrAll(rule.apiVersions, target.version) &&
    rule.resources.some((resource) => resourceMatches(resource, target))
  );
}

function scopeMatches(scope: string, target: RuleTarget): boolean {
  const isClusterScoped = isNamespaceKind({ group: target.group, plural: target.resource }) || target.namespace === "";
  switch (scope) {
    case "*":
      return true;
    case "Namespaced":
      return !isClusterScoped;
    case "Cluster":
      return isClusterScoped;
    default:
      return false;
  }
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function resourceMatches(text: string, { resource, subresource }: RuleTarget): boolean {
  const slash = text.indexOf("/");
  const [wanted, wantedSub] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  return (wanted === "*" || wanted === resource) && (wantedSub === "*" || wantedSub === subresource);
}
