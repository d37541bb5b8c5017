import { formatSelector, selectorRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { compileGrantPolicy, type RenderedGrant } from "@milo-quota/quota/core/policy/grant-policy.ts";
import {
  type GrantCreationPolicy,
  parseGrantCreationPolicy,
} from "@milo-quota/quota/core/resources/grant-creation-policy.ts";
import { bucketNamespace } from "@milo-quota/quota/core/resources/object-names.ts";
import type { TrueObject, World } from "../world/world.ts";
import { conditionAt, textAt } from "./json-fields.ts";
import { keyText, type QuotaTruth } from "./quota-truth.ts";
import type { TrueGrant } from "./true-grant.ts";

/** Grant policies at rest: what they want is there, and nothing of theirs is there that they do not want. */
export function* policyGrantFaults(
  truth: QuotaTruth,
  { layout, planes }: Pick<World, "layout" | "planes">,
): Generator<string> {
  const wanted = new Map<string, string>();
  const unsure = new Set<string>();
  for (const stored of truth.grantPolicies.values()) {
    const policy = parseGrantCreationPolicy(stored.object);
    if (!policy.ok || !policy.value.enabled) continue;
    // One that does not work keeps what it made, and makes nothing.
    if (textAt(conditionAt(stored.object, "Ready"), "status") !== "True") unsure.add(stored.key.name);
    else for (const [place, text] of wishes(truth, policy.value, { layout, planes })) wanted.set(place, text);
  }
  for (const [place, text] of wanted) {
    const grant = truth.grants.get(place);
    if (grant === undefined) yield `grant ${place} is missing, which a policy wants`;
    else if (grantText(grant) !== text) yield `grant ${place} gives ${grantText(grant)}, and its policy wants ${text}`;
  }
  for (const [place, { policy }] of truth.grants) {
    if (policy !== "" && !wanted.has(place) && !unsure.has(policy))
      yield `grant ${place} is there, and no policy wants it`;
  }
}

function* wishes(
  truth: QuotaTruth,
  policy: GrantCreationPolicy,
  { layout, planes }: Pick<World, "layout" | "planes">,
): Generator<readonly [place: string, text: string]> {
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
      wishText(rendering.grant),
    ];
  }
}

function isAbout({ trigger }: GrantCreationPolicy, { kind, apiVersion }: TrueObject["object"]): boolean {
  return trigger.kind === kind && trigger.apiVersion === apiVersion;
}

function wishText({ consumer, allowances }: RenderedGrant): string {
  const { apiGroup, kind, namespace, name } = consumer;
  const pools = allowances.flatMap(({ resourceType, buckets }) =>
    buckets.map(
      ({ amount, selector }) => `${amount} ${resourceType} ${formatSelector(selectorRequirements(selector))}`,
    ),
  );
  return [`${apiGroup}/${kind}/${namespace}/${name}`, ...pools].join(", ");
}

function grantText({ consumer, pools }: TrueGrant): string {
  const texts = pools.map(
    ({ amount, resourceType, requirements }) => `${amount} ${resourceType} ${formatSelector(requirements)}`,
  );
  return [consumer, ...texts].join(", ");
}
