import type { ClaimRendering } from "@milo-quota/quota/core/policy/claim-policy.ts";
import { bucketNamespace } from "@milo-quota/quota/core/resources/object-names.ts";
import type { TrueObject, World } from "../world/world.ts";
import type { AdmissionBook } from "./admission-book.ts";
import { isAtWork, type PolicyHistory } from "./policy-history.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import type { TrueClaim } from "./true-claim.ts";
import type { TruePart } from "./true-part.ts";
import type { TruePolicy } from "./true-policy.ts";

/** What tells which objects are governed. */
export interface Governance {
  readonly layout: World["layout"];
  readonly root: string;
  readonly book: AdmissionBook;
  readonly policies: PolicyHistory;
  /** So much may clocks differ, and so long may it take until a policy is known to be at work. */
  readonly unsureMs: number;
}

/** Each governed object is bound by exactly one claim of each policy. */
export function* bindingFaults(truth: QuotaTruth, governance: Governance): Generator<string> {
  for (const policy of truth.policies.values()) {
    for (const object of truth.objects.values()) {
      const bound = claimsOf(truth, policy, object);
      const name = `object ${object.key.plane}/${object.key.namespace}/${object.key.name} (${object.object.metadata.uid})`;
      const isOriginal = governance.policies.isOriginal(policy.name);
      if (bound.length > 1 && isOriginal && !governance.book.isEdited(object.object.metadata.uid ?? ""))
        yield `${name} is bound by ${bound.length} claims of ${policy.name}`;
      if (bound.length === 0 && mustBeBound(policy, object, governance))
        yield `${name} is bound by no claim of ${policy.name}`;
      const isGranted = bound.length > 0 && bound.every(({ state }) => state === "granted");
      if (isGranted && isOriginal && mustBeBound(policy, object, governance)) {
        const [held, needed] = [heldText(bound), neededText(render(policy, object, governance))];
        if (held !== needed) yield `${name} needs ${needed} by ${policy.name}, and its claims hold ${held}`;
      }
    }
  }
}

function claimsOf(truth: QuotaTruth, policy: TruePolicy, { object }: TrueObject): readonly TrueClaim[] {
  return [...truth.claims.values()].filter(
    ({ automatic }) => automatic?.policy === policy.name && automatic.object === object.metadata.uid,
  );
}

function heldText(claims: readonly TrueClaim[]): string {
  return amountsText(claims.flatMap(({ held }) => held));
}

function neededText(rendering: ClaimRendering | undefined): string {
  return rendering?.outcome === "claim" ? amountsText(rendering.claim.requests) : "";
}

/** What is held or needed of each type and place, in order. */
function amountsText(parts: readonly Pick<TruePart, "resourceType" | "dimensionKey" | "amount">[]): string {
  const sums = new Map<string, bigint>();
  for (const { resourceType, dimensionKey, amount } of parts) {
    const key = `${resourceType} ${dimensionKey}`.trimEnd();
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  const texts = [...sums].filter(([, amount]) => amount > 0n).map(([key, amount]) => `${amount} ${key}`);
  return texts.sort().join(", ");
}

function mustBeBound(policy: TruePolicy, object: TrueObject, governance: Governance): boolean {
  const { book, policies, root, unsureMs } = governance;
  if (policy.key.plane !== root && policy.key.plane !== object.key.plane) return false;
  const readyMs = policies.readySinceMs(policy.name);
  if (!isAtWork(policy) || readyMs === undefined || kindOf(object) !== policy.triggerKind) return false;
  if (render(policy, object, governance)?.outcome !== "claim") return false;
  const uid = object.object.metadata.uid ?? "";
  // Whose claim somebody deleted is like any other object: it counts again if it is younger than the work of the policy.
  const isLetInByIt = (book.claimsBehind(uid) ?? []).some(
    (claim) => claim.policy === policy.name && !book.isEndedByHand(claim.uid),
  );
  if (policy.adoptsExisting || (isLetInByIt && policies.isOriginal(policy.name))) return true;
  return Date.parse(object.object.metadata.creationTimestamp ?? "") > readyMs + unsureMs;
}

function kindOf({ object }: TrueObject): string {
  const slash = object.apiVersion.indexOf("/");
  return `${slash < 0 ? "" : object.apiVersion.slice(0, slash)}/${object.kind}`;
}

function render(
  policy: TruePolicy,
  { key, object }: TrueObject,
  { layout, root }: Governance,
): ClaimRendering | undefined {
  return policy.compiled?.evaluate({
    trigger: object,
    user: { name: "somebody", uid: "", groups: [], extra: {} },
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
