import { type ConsumerRef, consumerKey } from "../resources/fields/consumer-ref.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import { readableName } from "../resources/object-names.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";
import { stableHash } from "../resources/stable-hash.ts";

const nameHashLength = 20;

/** The object and the policy that a claim or a grant is created for. */
export interface Origin {
  /** Control plane of the object; empty for the root. */
  readonly plane: string;
  readonly policy: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The name of a claim whose template sets none: the same for every retry of a create, and different for anything else. The API
 * version of the object is not part of it, because clients can write the same object in several versions.
 */
export function claimName(
  prefix: string,
  origin: Origin,
  consumer: ConsumerRef,
  requests: readonly ClaimRequest[],
): string {
  const requestTexts = requests
    .map(({ resourceType, dimensions, amount }) => `${resourceType} ${dimensionKey(dimensions)} ${amount}`)
    .sort();
  return readableName(
    [prefix],
    stableHash([...originParts(origin), consumerKey(consumer), ...requestTexts], nameHashLength),
  );
}

/** The name of a grant. It stays the same when the granted amounts change. */
export function grantName(prefix: string, origin: Origin): string {
  return readableName([prefix], stableHash(originParts(origin), nameHashLength));
}

function originParts({ plane, policy, group, kind, namespace, name }: Origin): readonly string[] {
  return [plane, policy, group, kind, namespace, name];
}
