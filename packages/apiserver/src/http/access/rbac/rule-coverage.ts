import { noRule, type PolicyRule, urlCovers } from "./policy-rule.ts";

/** Single permissions that a role may expand to; larger roles are rejected unchecked. */
export const permissionsMax = 100_000;

/** The single permissions among the wanted rules that no held rule covers. */
export function uncoveredPermissions(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    for (const permission of permissionsOf(rule)) {
      if (!held.some((owner) => covers(owner, permission))) missing.push(permission);
    }
  }
  return missing;
}

export function permissionCount(rules: readonly PolicyRule[]): number {
  return rules.reduce((sum, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    const onResources = apiGroups.length * resources.length * Math.max(resourceNames.length, 1);
    return sum + verbs.length * (onResources + nonResourceURLs.length);
  }, 0);
}

/** One verb on one resource: a rule that another either covers or not. */
function* permissionsOf(rule: PolicyRule): Generator<PolicyRule> {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names) {
          yield { ...noRule, apiGroups: [group], resources: [resource], verbs: [verb], resourceNames };
        }
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) yield { ...noRule, nonResourceURLs: [url], verbs: [verb] };
  }
}

function covers(owner: PolicyRule, permission: PolicyRule): boolean {
  return (
    hasEvery(owner.verbs, permission.verbs) &&
    hasEvery(owner.apiGroups, permission.apiGroups) &&
    permission.resources.every((resource) => coversResource(owner.resources, resource)) &&
    permission.nonResourceURLs.every((url) => owner.nonResourceURLs.some((held) => urlCovers(held, url))) &&
    coversNames(owner.resourceNames, permission.resourceNames)
  );
}

function hasEvery(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes("*") || wanted.every((one) => held.includes(one));
}

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes("*") || held.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && held.includes(`*/${wanted.slice(slash + 1)}`);
}

/** An empty list means all names, which no list of names covers. */
function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  return held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)));
}

/** Merges single permissions that differ by verb only. */
export function compactRules(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const byResource = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const permission of permissions) {
    if (permission.nonResourceURLs.length > 0) {
      others.push(permission);
      continue;
    }
    const key = JSON.stringify([permission.apiGroups, permission.resources, permission.resourceNames]);
    const before = byResource.get(key);
    byResource.set(key, { ...permission, verbs: [...(before?.verbs ?? []), ...permission.verbs] });
  }
  return [...others, ...byResource.values()];
}
