import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RequestAttributes } from "../authorizer.ts";

/** A rule of a role. An empty list allows nothing, except for resource names, where it allows all. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export const noRule: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** The rules of a stored role. Malformed rules allow nothing. */
export function parseRules(role: JsonObject): readonly PolicyRule[] {
  const rules = ownValue(role, "rules");
  return Array.isArray(rules) ? rules.filter(isJsonObject).map(parseRule) : [];
}

function parseRule(rule: JsonObject): PolicyRule {
  return {
    verbs: texts(ownValue(rule, "verbs")),
    apiGroups: texts(ownValue(rule, "apiGroups")),
    resources: texts(ownValue(rule, "resources")),
    resourceNames: texts(ownValue(rule, "resourceNames")),
    nonResourceURLs: texts(ownValue(rule, "nonResourceURLs")),
  };
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** The JSON form of a rule: empty lists are omitted, except for verbs. */
export function ruleJson(rule: PolicyRule): JsonObject {
  const { verbs, ...rest } = rule;
  return { ...Object.fromEntries(Object.entries(rest).filter(([, list]) => list.length > 0)), verbs };
}

export function ruleAllows(rule: PolicyRule, asked: RequestAttributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return rule.nonResourceURLs.some((url) => urlCovers(url, asked.path));
  return (
    hasOrAll(rule.apiGroups, asked.group) &&
    allowsResource(rule.resources, asked) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes("*");
}

// `pods`, `pods/log`, `*` for everything, and `*/scale` for that subresource of everything. `pods/*` matches nothing.
function allowsResource(resources: readonly string[], { resource, subresource }: RequestAttributes): boolean {
  if (subresource === "") return hasOrAll(resources, resource);
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** A trailing `*` matches any remaining path. */
export function urlCovers(allowed: string, path: string): boolean {
  return allowed === path || (allowed.endsWith("*") && path.startsWith(allowed.replace(/\*+$/, "")));
}

/** The format of messages: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const shown = parts.filter(([, list]) => list.length > 0).map(([name, list]) => `${name}:${quotedList(list)}`);
  return `{${shown.join(", ")}}`;
}

/** As Go prints a slice of strings with %q. */
export function quotedList(list: readonly string[]): string {
  return `[${list.map(quote).join(" ")}]`;
}
