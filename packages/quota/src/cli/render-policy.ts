import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { claimManifest, compileClaimPolicy } from "../core/policy/claim-policy.ts";
import type { NotRendered } from "../core/policy/evaluate-policy.ts";
import { compileGrantPolicy, grantManifest } from "../core/policy/grant-policy.ts";
import type { RequestInfo, RequestUser } from "../core/policy/policy-variables.ts";
import type { ClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../core/resources/fields/consumer-ref.ts";
import type { PolicyTrigger } from "../core/resources/fields/policy-trigger.ts";
import type { GrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import { planeOfConsumer, tenantOf } from "./cluster/tenant-addresses.ts";
import { readQuotaObject } from "./quota-object.ts";

/** Who creates the object, when, and under which resource. */
export interface RenderContext {
  readonly user: RequestUser;
  readonly now: string;
  /** The plural of the object's kind; guessed when undefined. */
  readonly resource: string | undefined;
  /** Where the object is created. */
  readonly plane: PlaneAddress;
}

/** What a policy makes of an object: something to print, and whether it worked. */
export type RenderResult =
  | { readonly outcome: "rendered"; readonly manifest: JsonObject }
  | { readonly outcome: "nothing"; readonly because: string }
  | { readonly outcome: "failed"; readonly problems: readonly string[] };

export function renderPolicy(policy: JsonObject, object: JsonObject, context: RenderContext): RenderResult {
  const read = readQuotaObject(policy);
  if (read.object === undefined || read.issues.length > 0) return failed(read.issues);
  const { kind, value } = read.object;
  if (kind !== "ClaimCreationPolicy" && kind !== "GrantCreationPolicy") {
    const problem = `a ${kind} renders nothing: give a ClaimCreationPolicy or GrantCreationPolicy`;
    return { outcome: "failed", problems: [problem] };
  }
  const because = passedOver(value, object);
  if (because !== undefined) return { outcome: "nothing", because };
  const rendering = kind === "ClaimCreationPolicy" ? claimOf(value, object, context) : grantOf(value, object, context);
  if (rendering.outcome !== "differs") return rendering;
  const isFalse = (constraint: Constraint): boolean => {
    const only = { trigger: { ...value.trigger, constraints: [constraint] } };
    const alone =
      kind === "ClaimCreationPolicy"
        ? claimOf({ ...value, ...only }, object, context)
        : grantOf({ ...value, ...only }, object, context);
    return alone.outcome === "differs";
  };
  return { outcome: "nothing", because: conditionText(value.trigger, isFalse) };
}

type Constraint = PolicyTrigger["constraints"][number];

/** Which condition keeps the policy from being about an object, and what its author says of it. */
function conditionText(
  { constraints, constraintsField }: PolicyTrigger,
  isFalse: (each: Constraint) => boolean,
): string {
  const at = constraints.findIndex(isFalse);
  const { expression = "", message = "" } = constraints[at] ?? {};
  return [
    "the conditions do not hold for this object: nothing is made",
    `  spec.trigger.${constraintsField}[${at}] is not true: ${expression}`,
    ...(message === "" ? [] : [`  ${message}`]),
  ].join("\n");
}

/** A result, or the word that the conditions do not hold. */
type Tried = RenderResult | { readonly outcome: "differs" };

/** Why nobody would even ask the policy. */
function passedOver(
  { enabled, trigger }: ClaimCreationPolicy | GrantCreationPolicy,
  object: JsonObject,
): string | undefined {
  if (!enabled) return "the policy is switched off: nothing is made";
  const [wanted, given] = [groupKindOf(trigger.apiVersion, trigger.kind), kindOf(object)];
  if (sameGroupKind(wanted, given)) return undefined;
  return `the policy is about ${groupKindText(wanted)}, not ${groupKindText(given)}: nothing is made`;
}

function claimOf(
  policy: ClaimCreationPolicy,
  trigger: JsonObject,
  { user, now, resource, plane }: RenderContext,
): Tried {
  const compiled = compileClaimPolicy(policy);
  if (!compiled.ok) return failed(compiled.issues);
  const rendering = compiled.policy.evaluate({
    trigger,
    user,
    requestInfo: requestOf(trigger, resource),
    plane: labelOf(plane),
    tenantOf: (object) => tenantOf(plane, object),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
    isElsewhere: (consumer) => planeOfConsumer(consumer, plane).plane !== plane.plane,
    now,
  });
  if (rendering.outcome === "claim") return { outcome: "rendered", manifest: claimManifest(rendering.claim) };
  if (rendering.outcome === "nothing") return { outcome: "nothing", because: "every amount is 0: no claim" };
  return notRendered(rendering);
}

/** How names and annotations call a plane. */
function labelOf({ plane }: PlaneAddress): string {
  return plane === rootPlane.plane ? "" : plane;
}

function grantOf(policy: GrantCreationPolicy, trigger: JsonObject, { plane }: RenderContext): Tried {
  const compiled = compileGrantPolicy(policy);
  if (!compiled.ok) return failed(compiled.issues);
  const rendering = compiled.policy.evaluate({
    trigger,
    plane: labelOf(plane),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
  });
  return rendering.outcome === "grant"
    ? { outcome: "rendered", manifest: grantManifest(rendering.grant) }
    : notRendered(rendering);
}

function notRendered(rendering: NotRendered): Tried {
  if (rendering.outcome === "failed") return { outcome: "failed", problems: [rendering.message] };
  return { outcome: "differs" };
}

/** A create, as far as an object alone can tell. */
function requestOf(trigger: JsonObject, resource: string | undefined): RequestInfo {
  const { group: apiGroup, version: apiVersion } = parseApiVersion(String(trigger["apiVersion"] ?? ""));
  const metadata = (trigger["metadata"] ?? {}) as JsonObject;
  const text = (field: string): string => String(metadata[field] ?? "");
  const plural = resource ?? pluralOf(String(trigger["kind"] ?? "").toLowerCase());
  return {
    verb: "create",
    apiGroup,
    apiVersion,
    resource: plural,
    subresource: "",
    namespace: text("namespace"),
    name: text("name"),
  };
}

/** As code generators for Kubernetes guess it. */
function pluralOf(kind: string): string {
  if (/(s|x|ch|sh)$/.test(kind)) return `${kind}es`;
  return /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

function kindOf(object: JsonObject): GroupKind {
  return groupKindOf(String(object["apiVersion"] ?? ""), String(object["kind"] ?? ""));
}

function groupKindOf(apiVersion: string, kind: string): GroupKind {
  return { apiGroup: parseApiVersion(apiVersion).group, kind };
}

function failed(issues: readonly FieldIssue[]): RenderResult {
  return { outcome: "failed", problems: issues.map(issueText) };
}
