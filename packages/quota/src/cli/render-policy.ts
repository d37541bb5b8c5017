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

/** The request that creates the object. */
export interface RenderContext {
  readonly user: RequestUser;
  readonly now: string;
  /** The plural of the object's kind; guessed when undefined. */
  readonly resource: string | undefined;
  /** The control plane in which the object is created. */
  readonly plane: PlaneAddress;
}

export type RenderResult =
  | { readonly outcome: "rendered"; readonly manifest: JsonObject }
  | { readonly outcome: "nothing"; readonly reason: string }
  | { readonly outcome: "failed"; readonly problems: readonly string[] };

export function renderPolicy(policy: JsonObject, object: JsonObject, context: RenderContext): RenderResult {
  const read = readQuotaObject(policy);
  if (read.object === undefined || read.issues.length > 0) return failed(read.issues);
  const { kind, value } = read.object;
  if (kind !== "ClaimCreationPolicy" && kind !== "GrantCreationPolicy") {
    const problem = `cannot render a ${kind}: pass a ClaimCreationPolicy or GrantCreationPolicy`;
    return { outcome: "failed", problems: [problem] };
  }
  const reason = skipReason(value, object);
  if (reason !== undefined) return { outcome: "nothing", reason };
  const rendering = kind === "ClaimCreationPolicy" ? claimOf(value, object, context) : grantOf(value, object, context);
  if (rendering.outcome !== "not matched") return rendering;
  const isFalse = (constraint: Constraint): boolean => {
    const only = { trigger: { ...value.trigger, constraints: [constraint] } };
    const alone =
      kind === "ClaimCreationPolicy"
        ? claimOf({ ...value, ...only }, object, context)
        : grantOf({ ...value, ...only }, object, context);
    return alone.outcome === "not matched";
  };
  return { outcome: "nothing", reason: conditionText(value.trigger, isFalse) };
}

type Constraint = PolicyTrigger["constraints"][number];

/** The first condition that does not match the object, with the message of the policy's author. */
function conditionText(
  { constraints, constraintsField }: PolicyTrigger,
  isFalse: (each: Constraint) => boolean,
): string {
  const at = constraints.findIndex(isFalse);
  const { expression = "", message = "" } = constraints[at] ?? {};
  return [
    "the object does not match the policy's conditions",
    `  spec.trigger.${constraintsField}[${at}] is not true: ${expression}`,
    ...(message === "" ? [] : [`  ${message}`]),
  ].join("\n");
}

type Attempt = RenderResult | { readonly outcome: "not matched" };

/** Why the policy is not evaluated for the object at all. */
function skipReason(
  { enabled, trigger }: ClaimCreationPolicy | GrantCreationPolicy,
  object: JsonObject,
): string | undefined {
  if (!enabled) return "the policy is disabled";
  const [expected, actual] = [groupKindOf(trigger.apiVersion, trigger.kind), kindOf(object)];
  if (sameGroupKind(expected, actual)) return undefined;
  return `the policy applies to ${groupKindText(expected)}, not ${groupKindText(actual)}`;
}

function claimOf(
  policy: ClaimCreationPolicy,
  trigger: JsonObject,
  { user, now, resource, plane }: RenderContext,
): Attempt {
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
  if (rendering.outcome === "nothing") return { outcome: "nothing", reason: "all requested amounts are 0" };
  return notRendered(rendering);
}

/** The plane as rendered names and annotations have it. */
function labelOf({ plane }: PlaneAddress): string {
  return plane === rootPlane.plane ? "" : plane;
}

function grantOf(policy: GrantCreationPolicy, trigger: JsonObject, { plane }: RenderContext): Attempt {
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

function notRendered(rendering: NotRendered): Attempt {
  if (rendering.outcome === "failed") return { outcome: "failed", problems: [rendering.message] };
  return { outcome: "not matched" };
}

/** A create request, with what the object alone tells about it. */
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

/** The rule of the Kubernetes code generators. */
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
