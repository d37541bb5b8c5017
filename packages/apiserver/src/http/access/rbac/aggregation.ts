import { isJsonObject, type JsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  type LabelSelector,
  type Labels,
  matchesLabels,
  parseLabelSelector,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";

export type ClusterRole = JsonObject;

/** A ClusterRole whose rules differ from its aggregation, with the rules it should have. */
export interface RoleRewrite {
  readonly role: ClusterRole;
  readonly rules: readonly JsonObject[];
}

/** All roles that are out of date. Rewriting one may make others out of date: call again until none is left. */
export function roleRewrites(roles: readonly ClusterRole[]): readonly RoleRewrite[] {
  return roles.flatMap((role) => {
    const rules = aggregatedRules(role, roles);
    return rules === undefined || jsonEquals(rules, rulesOf(role)) ? [] : [{ role, rules }];
  });
}

/**
 * The rules that an aggregated role collects, without duplicates; undefined for a role with rules of its own, or with a
 * bad selector.
 */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly JsonObject[] | undefined {
  const selectors = selectorsOf(role);
  if (selectors === undefined) return undefined;
  const inOrder = [...roles].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  const gathered: JsonObject[] = [];
  for (const selector of selectors) {
    const parsed = parseLabelSelector(selector, "");
    if (!parsed.ok) return undefined;
    const chosen = inOrder.filter((other) => nameOf(other) !== nameOf(role));
    for (const other of chosen.filter((each) => matchesLabels(parsed.value, labelsOf(each))))
      addNew(gathered, rulesOf(other));
  }
  return gathered;
}

function addNew(gathered: JsonObject[], rules: readonly JsonObject[]): void {
  for (const rule of rules) {
    if (!gathered.some((known) => jsonEquals(known, rule))) gathered.push(rule);
  }
}

function selectorsOf(role: ClusterRole): readonly LabelSelector[] | undefined {
  const rule = ownValue(role, "aggregationRule");
  if (!isJsonObject(rule)) return undefined;
  const selectors = ownValue(rule, "clusterRoleSelectors");
  return Array.isArray(selectors) ? (selectors.filter(isJsonObject) as readonly LabelSelector[]) : [];
}

function rulesOf(role: ClusterRole): readonly JsonObject[] {
  const rules = ownValue(role, "rules");
  return Array.isArray(rules) ? rules.filter(isJsonObject) : [];
}

function metadataOf(role: ClusterRole): JsonObject {
  const metadata = ownValue(role, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

function nameOf(role: ClusterRole): string {
  return String(ownValue(metadataOf(role), "name") ?? "");
}

function labelsOf(role: ClusterRole): Labels {
  const labels = ownValue(metadataOf(role), "labels");
  return isJsonObject(labels) ? (labels as Labels) : {};
}
