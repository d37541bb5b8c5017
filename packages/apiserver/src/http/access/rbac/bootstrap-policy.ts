import { isJsonObject, type JsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from "../well-known-users.ts";
import { bootstrapRules } from "./bootstrap-rules.ts";
import { parseRules, ruleJson } from "./policy-rule.ts";
import { rbacGroup } from "./rbac-objects.ts";
import { uncoveredPermissions } from "./rule-coverage.ts";

const apiVersion = `${rbacGroup}/v1`;
const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
const aggregateTo = (role: string) => ({ [`${rbacGroup}/aggregate-to-${role}`]: "true" });

/** Aggregated roles, and the label by which they are aggregated themselves. */
const aggregating: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  admin: {},
  edit: aggregateTo("admin"),
  view: aggregateTo("edit"),
};

const aggregatedFrom: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "system:aggregate-to-admin": aggregateTo("admin"),
  "system:aggregate-to-edit": aggregateTo("edit"),
  "system:aggregate-to-view": aggregateTo("view"),
};

const boundGroups: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": [mastersGroup],
  "system:monitoring": ["system:monitoring"],
  "system:discovery": [authenticatedGroup],
  "system:basic-user": [authenticatedGroup],
  "system:public-info-viewer": [authenticatedGroup, unauthenticatedGroup],
};

/** The ClusterRoles that every plane starts with. */
export function bootstrapClusterRoles(): readonly JsonObject[] {
  const plain = Object.entries(bootstrapRules).map(([name, rules]) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, aggregatedFrom[name] ?? {}),
    rules: rules.map(ruleJson),
  }));
  const aggregates = Object.entries(aggregating).map(([name, labels]) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] },
    rules: [],
  }));
  return [...plain, ...aggregates];
}

/** The ClusterRoleBindings that every plane starts with. */
export function bootstrapClusterRoleBindings(): readonly JsonObject[] {
  return Object.entries(boundGroups).map(([name, groups]) => ({
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: metadata(name, {}),
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
    subjects: groups.map((group) => ({ apiGroup: rbacGroup, kind: "Group", name: group })),
  }));
}

function metadata(name: string, labels: Readonly<Record<string, string>>): JsonObject {
  const bootstrapping = { "kubernetes.io/bootstrapping": "rbac-defaults" };
  return { name, labels: { ...bootstrapping, ...labels }, annotations: { [autoUpdate]: "true" } };
}

/**
 * A stored bootstrap role with missing parts added, as after an upgrade; undefined when nothing is missing, or when the
 * role disables auto-update. Additions by administrators stay.
 */
export function reconcileClusterRole(stored: JsonObject, wanted: JsonObject): JsonObject | undefined {
  if (optsOut(stored)) return undefined;
  const held = parseRules(stored);
  const wantedRules = isAggregating(wanted) ? [] : parseRules(wanted);
  const lacking = wantedRules.filter((rule) => uncoveredPermissions(held, [rule]).length > 0);
  const labels = { ...mapIn(stored, "labels"), ...mapIn(wanted, "labels") };
  if (lacking.length === 0 && jsonEquals(labels, mapIn(stored, "labels"))) return undefined;
  const rules = [...held, ...lacking].map(ruleJson);
  return { ...stored, metadata: { ...partOf(stored, "metadata"), labels }, rules };
}

function optsOut(stored: JsonObject): boolean {
  return ownValue(mapIn(stored, "annotations"), autoUpdate) === "false";
}

function isAggregating(role: JsonObject): boolean {
  return ownValue(role, "aggregationRule") !== undefined;
}

function mapIn(object: JsonObject, key: string): JsonObject {
  return partOf(partOf(object, "metadata"), key);
}

function partOf(object: JsonObject, key: string): JsonObject {
  const part = ownValue(object, key);
  return isJsonObject(part) ? part : {};
}
