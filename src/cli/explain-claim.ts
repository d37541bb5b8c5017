import { consumerKey } from "../core/resources/consumer-ref.ts";
import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import { findCondition } from "../protocol/condition.ts";
import { planeText } from "./cluster/cluster.ts";
import { shortConsumer } from "./consumer-filter.ts";
import type { Denial } from "./denial-events.ts";
import { namesOf, typeText } from "./registered-names.ts";
import type { Units } from "./units.ts";

/** What is known of a claim: what it says itself, or, when it is gone, what an Event says. */
export type Finding =
  | { readonly found: "claim"; readonly plane: KubeClient; readonly claim: ResourceClaim }
  | { readonly found: "denial"; readonly plane: KubeClient; readonly denial: Denial };

const answers = {
  granted: "granted: it holds what it asked for until it is deleted",
  denied: "denied: it holds nothing, and stays denied; a new claim is decided anew",
  invalid: "not decided: something has to be put right first",
  pending: "not decided yet",
} as const;

const advice = "To make it fit: delete what is no longer needed, or grant more. Then create it again.";

export function findingText(finding: Finding, units: Units): string {
  return finding.found === "claim" ? claimText(finding.claim, finding.plane, units) : denialText(finding);
}

function claimText(claim: ResourceClaim, plane: KubeClient, units: Units): string {
  const condition = findCondition(claim.status.conditions, "Granted");
  const allocations = claim.status.allocations ?? [];
  return [
    `ResourceClaim ${claim.metadata.namespace}/${claim.metadata.name} (${planeText(plane)})`,
    `  for       ${claim.resource === undefined ? "nothing in particular: made by hand" : shortConsumer(claim.resource)}`,
    `  consumer  ${shortConsumer(claim.consumer)}`,
    `  asks for  ${claim.requests.map(({ amount, resourceType, dimensionKey }) => `${units.text(amount, resourceType)} of ${typeText(units, resourceType)}${dimensionKey === "" ? "" : ` (${dimensionKey})`}`).join(", ")}`,
    `  answer    ${answers[claim.answer.state]}`,
    ...(condition === undefined ? [] : [`  because   ${condition.reason}: ${condition.message}`]),
    ...(allocations.length < 2
      ? []
      : allocations.map(({ status, message = "" }) => `            ${status}: ${message}`)),
    ...(claim.answer.state === "denied" ? ["", advice] : []),
  ].join("\n");
}

function denialText({ plane, denial }: Extract<Finding, { found: "denial" }>): string {
  const { claim, message, at, count } = denial;
  const times = count > 1 ? `, ${count} times` : "";
  return [
    `ResourceClaim ${claim.namespace}/${claim.name} (${planeText(plane)}) was denied${times}, last at ${at}, and is gone.`,
    `  because   ${message}`,
    "",
    advice,
  ].join("\n");
}

export function findingValue(finding: Finding, units: Units): object {
  const plane = planeText(finding.plane);
  if (finding.found === "denial") {
    const { claim, message, at, count } = finding.denial;
    return { plane, claim, answer: "denied", gone: true, message, at, count };
  }
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

/** The pages that a finding is about: of a gone claim, those whose types its denial names. */
export function isAboutBucket(
  finding: Finding,
  bucket: { readonly consumer: ResourceClaim["consumer"]; readonly resourceType: string },
): boolean {
  if (finding.found === "denial") return finding.denial.message.includes(`${bucket.resourceType}: requested`);
  const { consumer, requests } = finding.claim;
  const isAsked = requests.some(({ resourceType }) => resourceType === bucket.resourceType);
  return isAsked && consumerKey(consumer) === consumerKey(bucket.consumer);
}
