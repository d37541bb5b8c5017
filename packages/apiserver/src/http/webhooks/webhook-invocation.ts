import { resourceForbidden, resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type Labels, matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { isNamespaceKind } from "../../registry/lifecycle/namespace-lifecycle.ts";
import { inVersion, namespaceOf, requestJson } from "./admission-review.ts";
import type { Webhook } from "./webhook.ts";
import { internalError } from "./webhook-errors.ts";
import { type RuleTarget, ruleMatches } from "./webhook-rule.ts";

/** A matching webhook, and the version in which it gets the object. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly kind: ServedKind;
}

export interface MatchingDeps {
  /** Undefined when the namespace does not exist. */
  readonly namespaceLabels: (plane: string, namespace: string) => Labels | undefined;
  /** All versions in which a kind is served. */
  readonly versionsOf: (plane: string, kind: ServedKind) => readonly ServedKind[];
}

/** Undefined when the webhook does not match the request. Throws a StatusError when matching fails. */
export function invocationOf(webhook: Webhook, request: AdmissionRequest, deps: MatchingDeps): Invocation | undefined {
  const kind = matchingKind(webhook, request, deps);
  if (kind === undefined) return undefined;
  if (!matchesNamespace(webhook, request, deps) || !matchesObject(webhook, request)) return undefined;
  const invocation = { webhook, kind };
  return matchesConditions(invocation, request) ? invocation : undefined;
}

/**
 * The kind itself when a rule names its version; else the first other version that a rule names (matchPolicy
 * Equivalent).
 */
function matchingKind(webhook: Webhook, request: AdmissionRequest, deps: MatchingDeps): ServedKind | undefined {
  const own = targetOf(request, request.kind);
  if (webhook.rules.some((rule) => ruleMatches(rule, own))) return request.kind;
  if (webhook.matchPolicy === "Exact") return undefined;
  const others = deps.versionsOf(request.plane, request.kind).filter(({ version }) => version !== own.version);
  for (const rule of webhook.rules) {
    const found = others.find((other) => ruleMatches(rule, targetOf(request, other)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function targetOf(request: AdmissionRequest, kind: ServedKind): RuleTarget {
  return {
    operation: request.operation,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    subresource: request.subresource,
    namespace: namespaceOf(request),
  };
}

/** Cluster-scoped objects always match a namespaceSelector. */
function matchesNamespace({ namespaceSelector }: Webhook, request: AdmissionRequest, deps: MatchingDeps): boolean {
  const namespace = namespaceOf(request);
  const isNamespace = isNamespaceKind(request.kind);
  if (namespace === "" && !isNamespace) return true;
  if (!namespaceSelector.ok) throw internalError(namespaceSelector.issues.map(issueText).join(", "));
  if (namespaceSelector.value.length === 0) return true;
  const isWritten = isNamespace && request.subresource === "" && request.operation !== "DELETE";
  const labels = isWritten ? labelsOf(request.object) : deps.namespaceLabels(request.plane, namespace);
  if (labels !== undefined) return matchesLabels(namespaceSelector.value, labels);
  throw new StatusError(resourceNotFound({ group: "", resource: "namespaces" }, namespace));
}

/** Either state of the object may match, so that removing a label does not bypass the webhook. */
function matchesObject({ objectSelector }: Webhook, { object, oldObject }: AdmissionRequest): boolean {
  if (!objectSelector.ok) throw internalError(objectSelector.issues.map(issueText).join(", "));
  const requirements = objectSelector.value;
  if (requirements.length === 0) return true;
  return [object, oldObject].some((state) => state !== undefined && matchesLabels(requirements, labelsOf(state)));
}

function labelsOf(object: ApiObject | undefined): Labels {
  return object?.metadata.labels ?? {};
}

function matchesConditions(invocation: Invocation, request: AdmissionRequest): boolean {
  const { webhook, kind } = invocation;
  if (webhook.matchConditions.isEmpty) return true;
  const verdict = webhook.matchConditions.evaluate({
    object: inVersion(request.object, kind),
    oldObject: inVersion(request.oldObject, kind),
    request: requestJson(request, kind),
  });
  if (verdict.outcome !== "failed") return verdict.outcome === "matches";
  const resource = { group: request.kind.group, resource: request.kind.plural };
  throw new StatusError(resourceForbidden(resource, request.name, verdict.message));
}
