import { formatSelector, selectorRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { compileGrantPolicy, type RenderedGrant } from "@milo-quota/quota/core/policy/grant-policy.ts";
import {
  type GrantCreationPolicy,
  parseGrantCreationPolicy,
} from "@milo-quota/quota/core/resources/grant-creation-policy.ts";
import { bucketNamespace } from "@milo-quota/quota/core/resources/object-names.ts";
import type { StoredObject, World } from "../world/world.ts";
import { conditionAt, textAt } from "./json-fields.ts";
import { keyText, type QuotaTruth } from "./quota-truth.ts";
import type { StoredGrant } from "./stored-grant.ts";

/**
 * I9 for grant policies: every rendered grant exists, and no other grant of an enabled policy does. Grants of a policy that
 * was disabled or deleted stay until their object is gone.
 */
export function* policyGrantViolations(
  truth: QuotaTruth,
  { layout, planes }: Pick<World, "layout" | "planes">,
): Generator<string> {
  const rendered = new Map<string, string>();
  const notReady = new Set<string>();
  const enabled = new Set<string>();
  for (const stored of truth.grantPolicies.values()) {
    const policy = parseGrantCreationPolicy(stored.object);
    if (!policy.ok || !policy.value.enabled) continue;
    enabled.add(stored.key.name);
    // A policy that is not ready keeps its grants and creates none.
    if (textAt(conditionAt(stored.object, "Ready"), "status") !== "True") notReady.add(stored.key.name);
    else for (const [key, text] of renderedGrants(truth, policy.value, { layout, planes })) rendered.set(key, text);
  }
  for (const [key, text] of rendered) {
    const grant = truth.grants.get(key);
    if (grant === undefined) yield `grant ${key} of a policy is missing`;
    else if (grantText(grant) !== text) yield `grant ${key} gives ${grantText(grant)}, but its policy renders ${text}`;
  }
  const objects = new Set([...truth.objects.values()].map(({ object }) => object.metadata.uid));
  for (const [key, { policy, ownedBy }] of truth.grants) {
    if (policy === "" || rendered.has(key) || notReady.has(policy)) continue;
    const isLeft = !enabled.has(policy) && (ownedBy === "" || objects.has(ownedBy));
    if (!isLeft) yield `grant ${key} exists, but no policy renders it`;
  }
}

function* renderedGrants(
  truth: QuotaTruth,
  policy: GrantCreationPolicy,
  { layout, planes }: Pick<World, "layout" | "planes">,
): Generator<readonly [key: string, text: string]> {
  const compiled = compileGrantPolicy(policy);
  if (!compiled.ok) return;
  for (const { key, object } of truth.objects.values()) {
    if (!isAbout(policy, object)) continue;
    const rendering = compiled.policy.evaluate({
      trigger: object,
      plane: key.plane === planes.root ? "" : key.plane,
      bucketNamespace: (consumer) => bucketNamespace(consumer, () => layout.hasOrganizationNamespaces),
    });
    if (rendering.outcome !== "grant") continue;
    const { name, namespace, parent } = rendering.grant;
    const plane = parent === undefined ? key.plane : (layout.planeOf(parent) ?? key.plane);
    yield [
      keyText({ plane, resource: "resourcegrants.quota.miloapis.com", namespace, name }),
      renderedText(rendering.grant),
    ];
  }
}

function isAbout({ trigger }: GrantCreationPolicy, { kind, apiVersion }: StoredObject["object"]): boolean {
  return trigger.kind === kind && trigger.apiVersion === apiVersion;
}

function renderedText({ consumer, allowances }: RenderedGrant): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const pools = allowances.flatMap(({ resourceType, buckets }) =>
    buckets.map(
      ({ amount, selector }) => `${amount} ${resourceType} ${formatSelector(selectorRequirements(selector))}`,
    ),
  );
  return [`${apiGroup}/${kind}/${namespace}/${name}`, ...pools].join(", ");
}

function grantText({ consumer, pools }: StoredGrant): string {
  const texts = pools.map(
    ({ amount, resourceType, requirements }) => `${amount} ${resourceType} ${formatSelector(requirements)}`,
  );
  return [consumer, ...texts].join(", ");
}
