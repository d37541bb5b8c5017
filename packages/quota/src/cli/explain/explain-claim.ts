import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { consumerKey, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest, ResourceClaim } from "../../core/resources/resource-claim.ts";
import { typeWithName } from "../../core/resources/rules/display-names.ts";
import { labels } from "../../core/resources/well-known.ts";
import { planeName } from "../cluster/cluster.ts";
import { kindAndName } from "../consumer-filter.ts";
import { typeInfo } from "../resource-type-info.ts";
import type { DryRunResult } from "../simulate/dry-run.ts";
import type { Units } from "../units.ts";
import type { Denial } from "./denial-events.ts";

/** The outcome of a claim: from the claim itself, from an Event if it was deleted, or else from a dry run of its object. */
export type Explanation =
  | { readonly source: "claim"; readonly plane: KubeClient; readonly claim: ResourceClaim }
  | { readonly source: "event"; readonly plane: KubeClient; readonly denial: Denial }
  | { readonly source: "dry-run"; readonly plane: KubeClient; readonly object: string; readonly result: DryRunResult };

const outcomes = {
  granted: "granted: the quota is allocated until the claim is deleted",
  denied: "denied: nothing is allocated, and this claim is not decided again; create a new one to retry",
  invalid: "not decided: the claim is invalid",
  pending: "not decided yet",
} as const;

export const advice = "To free quota, delete resources you no longer need, or raise the limit. Then retry the request.";

export function explanationText(explanation: Explanation, units: Units): string {
  switch (explanation.source) {
    case "claim":
      return claimText(explanation.claim, explanation.plane, units);
    case "event":
      return eventText(explanation);
    case "dry-run":
      return dryRunText(explanation);
    default:
      throw new Error(`unknown explanation ${explanation satisfies never}`);
  }
}

/** Whether there was not enough quota. */
export function isDenied(explanation: Explanation): boolean {
  if (explanation.source === "claim") return explanation.claim.decision.state === "denied";
  return explanation.source === "event" || explanation.result.verdict === "does not fit";
}

function claimText(claim: ResourceClaim, plane: KubeClient, units: Units): string {
  const condition = findCondition(claim.status.conditions, "Granted");
  const allocations = claim.status.allocations ?? [];
  return [
    `ResourceClaim ${claim.metadata.namespace}/${claim.metadata.name} (${planeName(plane)})`,
    `  object    ${claim.resource === undefined ? "none (created manually)" : kindAndName(claim.resource)}`,
    `  consumer  ${kindAndName(claim.consumer)}`,
    `  requests  ${claim.requests.map((request) => requestText(request, units)).join(", ")}`,
    ...outcomeLines(claim, units),
    ...(condition === undefined ? [] : [`  reason    ${condition.reason}: ${condition.message}`]),
    ...(allocations.length < 2
      ? []
      : allocations.map(({ status, message = "" }) => `            ${status}: ${message}`)),
  ].join("\n");
}

/** A claim is lowered when its object needs less. */
function outcomeLines({ decision, requests }: ResourceClaim, units: Units): readonly string[] {
  const held = decision.state === "granted" ? decision.allocations : [];
  const isLowered = held.some(({ amount }, at) => amount < (requests[at]?.amount ?? amount));
  if (!isLowered) return [`  outcome   ${outcomes[decision.state]}`];
  const texts = held.map(({ amount, resourceType }) => `${units.text(amount, resourceType)} of ${resourceType}`);
  return ["  outcome   granted, and lowered since, because its object needs less", `  holds     ${texts.join(", ")}`];
}

function requestText({ amount, resourceType, dimensions }: ClaimRequest, units: Units): string {
  const key = dimensionKey(dimensions);
  return `${units.text(amount, resourceType)} of ${typeWithName(units, resourceType)}${key === "" ? "" : ` in ${key}`}`;
}

function eventText({ plane, denial }: Extract<Explanation, { source: "event" }>): string {
  const { claim, object, message, at, count } = denial;
  const times = count > 1 ? `${count} times, last at ${at},` : `at ${at}`;
  return [
    `ResourceClaim ${claim.namespace}/${claim.name} (${planeName(plane)}) was denied ${times} and has been deleted`,
    ...(object === undefined ? [] : [`  object    ${kindAndName(object)}`]),
    `  reason    ${message}`,
  ].join("\n");
}

const dryRunTexts = {
  fits: "no claim and no denial Event found; the server would admit it now",
  "does not fit": "no denial Event found, but the server would reject it now",
  "already exists": "exists without a claim, so no quota counts it",
  "cannot be created": "no claim and no denial Event found; it cannot be created for another reason",
} as const;

function dryRunText({ object, result }: Extract<Explanation, { source: "dry-run" }>): string {
  const reason = "message" in result && result.verdict !== "already exists" ? [`  reason    ${result.message}`] : [];
  return [`${object}: ${dryRunTexts[result.verdict]}`, ...reason].join("\n");
}

export function explanationValue(explanation: Explanation, units: Units): object {
  const plane = planeName(explanation.plane);
  if (explanation.source === "event") {
    const { claim, object: resource, message, at, count } = explanation.denial;
    return { plane, claim, answer: "denied", gone: true, message, at, count, resource };
  }
  if (explanation.source === "dry-run") return { plane, object: explanation.object, now: explanation.result };
  const { metadata, consumer, resource, requests, decision, status } = explanation.claim;
  const condition = findCondition(status.conditions, "Granted");
  return {
    plane,
    claim: { namespace: metadata.namespace, name: metadata.name },
    answer: decision.state,
    gone: false,
    reason: condition?.reason,
    message: condition?.message,
    at: condition?.lastTransitionTime,
    consumer,
    resource,
    requests: requests.map(({ resourceType, amount, dimensions }) => ({
      resourceType,
      ...typeInfo(units, resourceType),
      amount,
      dimensions,
    })),
    allocations: status.allocations ?? [],
  };
}

/** Whether a bucket belongs to an explanation: by the requests of the claim, or else by the message and the consumer. */
export function isAboutBucket(explanation: Explanation, bucket: AllowanceBucket): boolean {
  const { resourceType, metadata } = bucket;
  const key = dimensionKey(bucket.dimensions);
  if (explanation.source === "claim") {
    const { consumer, requests } = explanation.claim;
    const isRequested = requests.some(
      (request) => request.resourceType === resourceType && (key === "" || dimensionKey(request.dimensions) === key),
    );
    return isRequested && consumerKey(consumer) === consumerKey(bucket.consumer);
  }
  if (explanation.source === "dry-run") {
    const rest = `${key === "" ? "" : ` (${key})`} for ${consumerText(bucket.consumer)}: requested`;
    const { result } = explanation;
    return isDenied(explanation) && "message" in result && mentions(result.message, resourceType, rest);
  }
  const { message, consumer } = explanation.denial;
  const texts =
    key === "" ? [`${resourceType}: requested`, `${resourceType} (`] : [`${resourceType} (${key}): requested`];
  return (
    texts.some((text) => message.includes(text)) &&
    metadata.labels?.[labels.consumerKind] === consumer.kind &&
    metadata.labels?.[labels.consumerName] === consumer.name
  );
}

const displayNamePattern = /^ "(?:[^"\\]|\\.)*"/;

/** Whether a rejection has the resource type, perhaps its display name, and then this text. */
function mentions(message: string, resourceType: string, rest: string): boolean {
  const [, ...after] = message.split(resourceType);
  return after.some((text) => text.replace(displayNamePattern, "").startsWith(rest));
}
