import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { consumerKey, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest, ResourceClaim } from "../../core/resources/resource-claim.ts";
import { labels } from "../../core/resources/well-known.ts";
import { planeText } from "../cluster/cluster.ts";
import { shortConsumer } from "../consumer-filter.ts";
import { namesOf, typeText } from "../registered-names.ts";
import type { Alone } from "../simulate/dry-run.ts";
import type { Units } from "../units.ts";
import type { Denial } from "./denial-events.ts";

/**
 * What is known of a claim: what it says itself, or, when it is gone, what an Event says. Where there is neither, what the
 * server says when it is asked anew.
 */
export type Finding =
  | { readonly found: "claim"; readonly plane: KubeClient; readonly claim: ResourceClaim }
  | { readonly found: "denial"; readonly plane: KubeClient; readonly denial: Denial }
  | { readonly found: "trial"; readonly plane: KubeClient; readonly object: string; readonly alone: Alone };

const answers = {
  granted: "granted: it holds what it asked for until it is deleted",
  denied: "denied: it holds nothing, and stays denied; a new claim is decided anew",
  invalid: "not decided: something has to be put right first",
  pending: "not decided yet",
} as const;

export const advice = "To make it fit: delete what is no longer needed, or grant more. Then create it again.";

export function findingText(finding: Finding, units: Units): string {
  switch (finding.found) {
    case "claim":
      return claimText(finding.claim, finding.plane, units);
    case "denial":
      return denialText(finding);
    case "trial":
      return trialText(finding);
    default:
      throw new Error(`unknown finding ${finding satisfies never}`);
  }
}

/** Whether it ended with a no that something can be done about. */
export function isDenied(finding: Finding): boolean {
  if (finding.found === "claim") return finding.claim.answer.state === "denied";
  return finding.found === "denial" || finding.alone.verdict === "does not fit";
}

function claimText(claim: ResourceClaim, plane: KubeClient, units: Units): string {
  const condition = findCondition(claim.status.conditions, "Granted");
  const allocations = claim.status.allocations ?? [];
  return [
    `ResourceClaim ${claim.metadata.namespace}/${claim.metadata.name} (${planeText(plane)})`,
    `  for       ${claim.resource === undefined ? "nothing in particular: made by hand" : shortConsumer(claim.resource)}`,
    `  consumer  ${shortConsumer(claim.consumer)}`,
    `  asks for  ${claim.requests.map((request) => requestText(request, units)).join(", ")}`,
    `  answer    ${answers[claim.answer.state]}`,
    ...(condition === undefined ? [] : [`  because   ${condition.reason}: ${condition.message}`]),
    ...(allocations.length < 2
      ? []
      : allocations.map(({ status, message = "" }) => `            ${status}: ${message}`)),
  ].join("\n");
}

function requestText({ amount, resourceType, dimensions }: ClaimRequest, units: Units): string {
  const key = dimensionKey(dimensions);
  return `${units.text(amount, resourceType)} of ${typeText(units, resourceType)}${key === "" ? "" : ` in ${key}`}`;
}

function denialText({ plane, denial }: Extract<Finding, { found: "denial" }>): string {
  const { claim, object, message, at, count } = denial;
  const times = count > 1 ? `, ${count} times` : "";
  return [
    `ResourceClaim ${claim.namespace}/${claim.name} (${planeText(plane)}) was denied${times}, last at ${at}, and is gone.`,
    ...(object === undefined ? [] : [`  for       ${shortConsumer(object)}`]),
    `  because   ${message}`,
  ].join("\n");
}

const verdicts = {
  fits: "there is no claim for it and no Event of a denial; the server would let it in now",
  "does not fit": "there is no Event of a denial any more, but it would be refused now",
  "exists already": "it exists, and no claim is there for it: no quota counts it",
  "cannot be created":
    "there is no claim for it and no Event of a denial; it cannot be created now, for another reason",
} as const;

function trialText({ object, alone }: Extract<Finding, { found: "trial" }>): string {
  const because = "message" in alone && alone.verdict !== "exists already" ? [`  because   ${alone.message}`] : [];
  return [`${object}: ${verdicts[alone.verdict]}`, ...because].join("\n");
}

export function findingValue(finding: Finding, units: Units): object {
  const plane = planeText(finding.plane);
  if (finding.found === "denial") {
    const { claim, object: resource, message, at, count } = finding.denial;
    return { plane, claim, answer: "denied", gone: true, message, at, count, resource };
  }
  if (finding.found === "trial") return { plane, object: finding.object, now: finding.alone };
  const { metadata, consumer, resource, requests, answer, status } = finding.claim;
  const condition = findCondition(status.conditions, "Granted");
  return {
    plane,
    claim: { namespace: metadata.namespace, name: metadata.name },
    answer: answer.state,
    gone: false,
    reason: condition?.reason,
    message: condition?.message,
    at: condition?.lastTransitionTime,
    consumer,
    resource,
    requests: requests.map(({ resourceType, amount, dimensions }) => ({
      resourceType,
      ...namesOf(units, resourceType),
      amount,
      dimensions,
    })),
    allocations: status.allocations ?? [],
  };
}

/** The buckets that a finding is about: of a gone claim, those that its denial names, of the consumer that it names. */
export function isAboutBucket(finding: Finding, bucket: AllowanceBucket): boolean {
  const { resourceType, metadata } = bucket;
  const key = dimensionKey(bucket.dimensions);
  if (finding.found === "claim") {
    const { consumer, requests } = finding.claim;
    const isAsked = requests.some(
      (request) => request.resourceType === resourceType && (key === "" || dimensionKey(request.dimensions) === key),
    );
    return isAsked && consumerKey(consumer) === consumerKey(bucket.consumer);
  }
  if (finding.found === "trial") {
    const asked = `${resourceType}${key === "" ? "" : ` (${key})`} for ${consumerText(bucket.consumer)}: requested`;
    return isDenied(finding) && "message" in finding.alone && finding.alone.message.includes(asked);
  }
  const { message, consumer } = finding.denial;
  const asked =
    key === "" ? [`${resourceType}: requested`, `${resourceType} (`] : [`${resourceType} (${key}): requested`];
  return (
    asked.some((text) => message.includes(text)) &&
    metadata.labels?.[labels.consumerKind] === consumer.kind &&
    metadata.labels?.[labels.consumerName] === consumer.name
  );
}
