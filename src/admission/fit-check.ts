import { shortageText } from "../core/ledger/answer.ts";
import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import {
  type AllowanceBucket,
  allowanceBucketDefinition,
  parseAllowanceBucket,
} from "../core/resources/allowance-bucket.ts";
import { amountOf, noAmount } from "../core/resources/amount.ts";
import { consumerText } from "../core/resources/consumer-ref.ts";
import { dimensionKey } from "../core/resources/dimensions.ts";
import { bucketName } from "../core/resources/object-names.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/registration-rules.ts";
import type { ClaimRequest } from "../core/resources/resource-claim.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import type { Shortage } from "./refusals.ts";

/** Where figures are to be found. */
export interface BucketPlace {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly registrations: RegistrationView;
}

/**
 * What of a claim would not fit, as buckets show it now; nothing is written, and nothing is promised. Where a set of
 * dimensions has no bucket of its own yet, the one without dimensions tells.
 */
export async function shortagesNow(
  { consumer, requests }: RenderedClaim,
  { client, namespace, registrations }: BucketPlace,
  signal: AbortSignal,
): Promise<readonly Shortage[]> {
  const buckets = client.resource(allowanceBucketDefinition, parseAllowanceBucket);
  const find = (name: string): Promise<AllowanceBucket | undefined> => buckets.find({ namespace, name }, signal);
  const checked = requests.map(async (request) => {
    const { resourceType, dimensions, amount } = request;
    const own =
      dimensionKey(dimensions) === "" ? undefined : await find(bucketName(consumer, resourceType, dimensions));
    const bucket = own ?? (await find(bucketName(consumer, resourceType)));
    if (amountOf(bucket?.status?.available ?? 0) >= amount) return [];
    const text = shortageText(
      { part: partOf(request), figures: figuresOf(bucket) },
      unitOf(registrations, resourceType),
    );
    return [{ resourceType, message: text.replace(": ", ` for ${consumerText(consumer)}: `) }];
  });
  return (await Promise.all(checked)).flat();
}

function partOf({ resourceType, dimensions, amount }: ClaimRequest) {
  return { resourceType, dimensionKey: dimensionKey(dimensions), amount };
}

function figuresOf(bucket: AllowanceBucket | undefined) {
  const { limit = 0, allocated = 0, reserved = 0, available = 0 } = bucket?.status ?? {};
  return {
    limit: amountOf(limit),
    allocated: amountOf(allocated),
    reserved: amountOf(reserved),
    available: amountOf(available),
    overage: noAmount,
  };
}

function unitOf(registrations: RegistrationView, resourceType: string) {
  const registration = activeRegistration(registrations, resourceType);
  return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
}
