import type { ClaimRendering } from "@milo-quota/quota/core/policy/claim-policy.ts";
import { bucketNamespace } from "@milo-quota/quota/core/resources/object-names.ts";
import type { StoredObject, World } from "../world/world.ts";
import type { AdmissionHistory } from "./admission-history.ts";
import { isInEffect, type PolicyHistory } from "./policy-history.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import type { StoredAmount } from "./stored-amount.ts";
import type { StoredClaim } from "./stored-claim.ts";
import type { StoredPolicy } from "./stored-policy.ts";

/** Input for deciding which objects policies govern. */
export interface Governance {
  readonly layout: World["layout"];
  readonly root: string;
  readonly history: AdmissionHistory;
  readonly policies: PolicyHistory;
  /** Upper bound of the time until all machines apply a ready policy, clock skew included. */
  readonly policyDelayMsMax: number;
}

/** I10: each governed object is bound by exactly one claim of each policy, which holds what the policy requires. */
export function* bindingViolations(truth: QuotaTruth, governance: Governance): Generator<string> {
  for (const policy of truth.policies.values()) {
    for (const object of truth.objects.values()) {
      const bound = claimsOf(truth, policy, object);
      const name = `object ${object.key.plane}/${object.key.namespace}/${object.key.name} (${object.object.metadata.uid})`;
      const isOriginal = governance.policies.isOriginal(policy.name);
      if (bound.length > 1 && isOriginal && !governance.history.isObjectEdited(object.object.metadata.uid ?? ""))
        yield `${name} is bound by ${bound.length} claims of ${policy.name}`;
      if (bound.length === 0 && mustBeBound(policy, object, governance))
        yield `${name} is bound by no claim of ${policy.name}`;
      const isGranted = bound.length > 0 && bound.every(({ state }) => state === "granted");
      if (isGranted && isOriginal && mustBeBound(policy, object, governance)) {
        const [held, needed] = [heldText(bound), neededText(render(policy, object, governance))];
        if (held !== needed) yield `${name} needs ${needed} by ${policy.name}, but its claims hold ${held}`;
      }
    }
  }
}

function claimsOf(truth: QuotaTruth, policy: StoredPolicy, { object }: StoredObject): readonly StoredClaim[] {
  return [...truth.claims.values()].filter(
    ({ automatic }) => automatic?.policy === policy.name && automatic.object === object.metadata.uid,
  );
}

function heldText(claims: readonly StoredClaim[]): string {
  return amountsText(claims.flatMap(({ held }) => held));
}

function neededText(rendering: ClaimRendering | undefined): string {
  return rendering?.outcome === "claim" ? amountsText(rendering.claim.requests) : "";
}

/** Sums by type and dimensions, sorted. */
function amountsText(parts: readonly Pick<StoredAmount, "resourceType" | "dimensionKey" | "amount">[]): string {
  const sums = new Map<string, bigint>();
  for (const { resourceType, dimensionKey, amount } of parts) {
    const key = `${resourceType} ${dimensionKey}`.trimEnd();
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  const texts = [...sums].filter(([, amount]) => amount > 0n).map(([key, amount]) => `${amount} ${key}`);
  return texts.sort().join(", ");
}

function mustBeBound(policy: StoredPolicy, object: StoredObject, governance: Governance): boolean {
  const { history, policies, root, policyDelayMsMax } = governance;
  if (policy.key.plane !== root && policy.key.plane !== object.key.plane) return false;
  const readyMs = policies.readySinceMs(policy.name);
  if (!isInEffect(policy) || readyMs === undefined || kindOf(object) !== policy.triggerKind) return false;
  if (render(policy, object, governance)?.outcome !== "claim") return false;
  const uid = object.object.metadata.uid ?? "";
  // After an actor has deleted its claim, an object is treated like one that bypassed admission: only its age counts.
  const isAdmitted = (history.admittingClaims(uid) ?? []).some(
    (claim) => claim.policy === policy.name && !history.isClaimDeletedByActor(claim.uid),
  );
  if (policy.adoptsExisting || (isAdmitted && policies.isOriginal(policy.name))) return true;
  return Date.parse(object.object.metadata.creationTimestamp ?? "") > readyMs + policyDelayMsMax;
}

function kindOf({ object }: StoredObject): string {
  const slash = object.apiVersion.indexOf("/");
  return `${slash < 0 ? "" : object.apiVersion.slice(0, slash)}/${object.kind}`;
}

function render(
  policy: StoredPolicy,
  { key, object }: StoredObject,
  { layout, root }: Governance,
): ClaimRendering | undefined {
  return policy.compiled?.evaluate({
    trigger: object,
    user: { name: "user", uid: "", groups: [], extra: {} },
    requestInfo: {
      verb: "create",
      resource: key.resource,
      subresource: "",
      name: key.name,
      namespace: key.namespace,
      apiGroup: "",
      apiVersion: "",
    },
    plane: key.plane === root ? "" : key.plane,
    tenantOf: (stored) => layout.tenantOf(key.plane, stored),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => layout.hasOrganizationNamespaces),
    now: "",
  });
}
